import { existsSync } from 'node:fs';
import path from 'node:path';
import { Redis } from 'ioredis';

/** Finds the program of a Redis or Valkey server: that of `REDIS_BIN`, else one on PATH. */
export async function findRedisServer(): Promise<string> {
  if (process.env.REDIS_BIN) {
    return process.env.REDIS_BIN;
  }
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  for (const name of ['redis-server', 'valkey-server']) {
    for (const folder of folders) {
      if (existsSync(path.join(folder, name))) {
        return path.join(folder, name);
      }
    }
  }
  const client = new Redis(process.env.TEST_REDIS_URL ?? '');
  try {
    const [, file] = /executable:(.+)\r/.exec(await client.info('server')) ?? [];
    if (file) {
      return file;
    }
    throw new Error('these tests need redis-server or valkey-server on PATH');
  } finally {
    client.disconnect();
  }
}
