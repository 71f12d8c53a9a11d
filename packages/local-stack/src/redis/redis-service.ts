import fs from 'node:fs';
import path from 'node:path';
import { buildServiceEnvironment } from '../process/build-service-environment.js';
import { stopLeftoverOfFile } from '../process/stop-leftover.js';
import type { Command } from '../process/supervise.js';
import type { RedisProgram } from './find-redis.js';

/** Server program of Redis and its settings. */
export interface RedisOptions {
  readonly program: RedisProgram;
  /** Folder of the data, the configuration and the pid file. */
  readonly folder: string;
  readonly port: number;
  readonly password: string;
  /** False for temporary data: nothing is written to disk. */
  readonly durable: boolean;
}

/** Ends the server of an earlier run on these files; two servers would destroy them. */
export async function clearRedisLeftover(folder: string): Promise<void> {
  const pidFile = path.join(folder, 'redis.pid');
  // Redis replaces its command line by "redis-server 127.0.0.1:6379" as soon as it serves.
  const isExpected = (command: string): boolean => {
    const port = /^port (\d+)$/m.exec(fs.readFileSync(path.join(folder, 'redis.conf'), 'utf8'))?.[1];
    const isHere = command.includes(`127.0.0.1:${port}`) || command.includes(folder);
    return isHere && /(redis|valkey)-server/.test(command);
  };
  await stopLeftoverOfFile(pidFile, isExpected, 'SIGTERM');
  fs.rmSync(pidFile, { force: true });
}

const quote = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

/**
 * Returns the command of Redis: 127.0.0.1 only, with a password, nothing evicted, every change logged to disk.
 * The password does not appear in `ps`.
 */
export function buildRedisCommand(options: RedisOptions): Command {
  const { program, folder, port, password, durable } = options;
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lines = [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    `dir ${quote(folder)}`,
    `pidfile ${quote(path.join(folder, 'redis.pid'))}`,
    'databases 64',
    'maxmemory-policy noeviction',
    'save ""',
    `appendonly ${durable ? 'yes' : 'no'}`,
  ];
  const config = path.join(folder, 'redis.conf');
  fs.rmSync(config, { force: true });
  fs.writeFileSync(config, `${lines.join('\n')}\n`, { mode: 0o600 });
  return { file: program.file, args: [config], env: buildServiceEnvironment(program.env), cwd: folder };
}
