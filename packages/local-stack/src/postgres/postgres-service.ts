import fs from 'node:fs';
import path from 'node:path';
import { buildServiceEnvironment } from '../process/build-service-environment.js';
import { stopLeftoverOfFile } from '../process/stop-leftover.js';
import type { Command } from '../process/supervise.js';
import type { PostgresLocation } from './choose-location.js';

/** Location and settings of a PostgreSQL server. */
export interface PostgresOptions {
  readonly location: PostgresLocation;
  readonly port: number;
  /** False for temporary data: nothing is flushed to disk. */
  readonly durable: boolean;
}

/** Temporary data serves tests: nothing is flushed, and a starved machine has ten minutes for a client's first answer. */
const TEMPORARY = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  authentication_timeout: '600s',
};

/** Ends the server of an earlier run on these files, and removes a pid file whose number another process has now. */
export async function clearPostgresLeftover(cluster: string): Promise<void> {
  const file = path.join(cluster, 'postmaster.pid');
  const found = await stopLeftoverOfFile(file, (command) => command.includes(cluster), 'SIGINT');
  if (found === 'other-process') {
    fs.rmSync(file, { force: true });
  }
}

/** Returns the command of the embedded PostgreSQL: 127.0.0.1 only, UTC, no Unix socket (their paths are limited in length). */
export function buildPostgresCommand({ location, port, durable }: PostgresOptions): Command {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    max_connections: '300',
    // Until a new table is analyzed, statements keep plans for an empty one. By default the first look at it can take a minute.
    autovacuum_naptime: '5s',
    ...(durable ? {} : TEMPORARY),
  };
  return {
    file: path.join(location.binaries, 'bin/postgres'),
    args: [
      '-D',
      location.cluster,
      '-p',
      String(port),
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    env: buildServiceEnvironment({ LC_ALL: 'C' }),
    cwd: location.folder,
    ...location.user,
  };
}
