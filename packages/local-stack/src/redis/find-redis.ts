import fs from 'node:fs';
import path from 'node:path';
import { run } from '../process/run.js';

export interface RedisProgram {
  file: string;
  /** What the program needs in its environment to find its libraries. */
  env: Record<string, string>;
}

const names = ['redis-server', 'valkey-server'];

const isExecutable = (file: string): boolean => {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
};

/** Whether a program is a Redis 6.2 or a Valkey 7.2, or newer; older ones lack commands that the queues use. */
export async function isRecentEnough(program: RedisProgram): Promise<boolean> {
  const { stdout } = await run(program.file, ['--version'], {
    env: { ...process.env, ...program.env },
    timeoutMs: 10_000,
  });
  const [, major, minor] = /v=(\d+)\.(\d+)/.exec(stdout) ?? [];
  return Number(major) > 6 || (Number(major) === 6 && Number(minor) >= 2);
}

/** The first recent enough `redis-server` or `valkey-server` on PATH (and where package managers put servers); null if none. */
export async function findRedis(env: NodeJS.ProcessEnv): Promise<RedisProgram | null> {
  const folders = [
    ...(env.PATH ?? '').split(path.delimiter),
    '/usr/sbin',
    '/usr/local/sbin',
    '/opt/homebrew/bin',
  ].filter(Boolean);
  for (const name of names) {
    for (const folder of folders) {
      const program = { file: path.join(folder, name), env: {} };
      if (isExecutable(program.file) && (await isRecentEnough(program))) return program;
    }
  }
  return null;
}
