import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { askRedis, eventually, findRedisServer, freePort, killProcess } from '@image-gateway/testing';

/** A Redis server of one test file, to be killed, frozen and brought back. */
export type OwnRedis = Awaited<ReturnType<typeof ownRedis>>;

/** Prepares a Redis server on a port of its own; it runs after the first `start`. */
export async function ownRedis() {
  const file = await findRedisServer();
  const dir = mkdtempSync(path.join(tmpdir(), 'gw-redis-'));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;

  const command = (name: string, ...args: string[]) => askRedis(port, [name, ...args]);
  const kill = () => killProcess(child);
  return {
    url,
    port,
    start: async (...extra: string[]) => {
      const options = { port: String(port), bind: '127.0.0.1', dir, save: '', loglevel: 'warning' };
      const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
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
