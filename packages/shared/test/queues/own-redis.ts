import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually, findRedisServer, freePort } from '@image-gateway/testing';
import { Redis } from 'ioredis';

/** A Redis server of one test file, to be killed, frozen and brought back. */
export interface OwnRedis {
  readonly url: string;
  readonly port: number;
  readonly start: (...extra: string[]) => Promise<void>;
  readonly kill: () => Promise<void>;
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** Runs one command on a connection of its own. */
  readonly command: (name: string, ...args: string[]) => Promise<unknown>;
  readonly dispose: () => Promise<void>;
}

/** Prepares a Redis server on a port of its own; it runs after the first `start`. */
export async function ownRedis(): Promise<OwnRedis> {
  const file = await findRedisServer();
  const dir = mkdtempSync(path.join(tmpdir(), 'gw-redis-'));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;

  const command = async (name: string, ...args: string[]): Promise<unknown> => {
    const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await client.call(name, ...args);
    } finally {
      client.disconnect();
    }
  };
  const kill = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) {
      return;
    }
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return {
    url,
    port,
    start: async (...extra) => {
      const args = [
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--dir',
        dir,
        '--save',
        '',
        '--loglevel',
        'warning',
      ];
      child = spawn(file, [...args, ...extra], { stdio: 'ignore' });
      await eventually(() => command('ping'));
    },
    kill,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    command,
    dispose: async () => {
      await kill();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
