import path from 'node:path';
import { findPrograms } from '../process/find-programs.js';
import { run } from '../process/run.js';

/** Server program of Redis or Valkey. */
export interface RedisProgram {
  readonly file: string;
  /** Environment in which the program finds its libraries. */
  readonly env: Record<string, string>;
}

const NAMES = ['redis-server', 'valkey-server'];
/** Folders outside PATH into which package managers put servers. */
const SERVER_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin'];

/** Returns whether a program is Redis 6.2 or Valkey 7.2, or newer; older ones lack commands that the queues use. */
export async function isRecentEnough(program: RedisProgram): Promise<boolean> {
  const { stdout } = await run(program.file, ['--version'], {
    env: { ...process.env, ...program.env },
    timeoutMs: 10_000,
  });
  const [, major, minor] = /v=(\d+)\.(\d+)/.exec(stdout) ?? [];
  return Number(major) > 6 || (Number(major) === 6 && Number(minor) >= 2);
}

/**
 * Finds the server of `REDIS_BIN`, else the first recent enough `redis-server` or `valkey-server` on PATH or where package
 * managers put servers; null if none.
 */
export async function findRedis(env: NodeJS.ProcessEnv): Promise<RedisProgram | null> {
  if (env.REDIS_BIN) {
    return { file: env.REDIS_BIN, env: {} };
  }
  const folders = [...(env.PATH ?? '').split(path.delimiter), ...SERVER_FOLDERS];
  for (const file of NAMES.flatMap((name) => findPrograms(name, folders))) {
    const program = { file, env: {} };
    if (await isRecentEnough(program)) {
      return program;
    }
  }
  return null;
}
