import path from 'node:path';
import { env } from 'node:process';
import { reservePort } from '../data-dir/reserve-port.js';
import { ensureDatabase } from '../database/ensure-database.js';
import { chooseLocation } from '../postgres/choose-location.js';
import { findBinaries } from '../postgres/find-binaries.js';
import { initCluster, moveForeignCluster } from '../postgres/init-cluster.js';
import { buildPostgresCommand, clearPostgresLeftover } from '../postgres/postgres-service.js';
import { logToFile } from './log-to-file.js';
import type { RunningService, ServiceContext } from './service-context.js';

/** Running PostgreSQL. */
export interface RunningPostgres extends RunningService {
  /** Folder of its files, inside or outside the data folder. */
  readonly folder: string;
}

/** Starts the embedded PostgreSQL, and waits until it responds and has its database; the URL contains the password of the superuser. */
export async function startPostgres(context: ServiceContext, password: string): Promise<RunningPostgres> {
  const { dataDir, durable, supervisor, print, signal } = context;
  const location = chooseLocation(dataDir, findBinaries(env));
  if (location.isOutside) {
    print(`The user of PostgreSQL cannot reach ${dataDir}: the database's files are in ${location.folder}`);
  }
  await clearPostgresLeftover(location.cluster);
  const aside = moveForeignCluster(location, password);
  if (aside) {
    print(`A database of an earlier data folder of this name is kept in ${aside}`);
  }
  await initCluster(location, password);
  const port = await reservePort(dataDir, 'postgres');
  const process = await supervisor.start({
    name: 'postgres',
    role: 'service',
    // Fast shutdown: open connections are ended, everything is written.
    stopSignal: 'SIGINT',
    command: () => buildPostgresCommand({ location, port, durable }),
    output: logToFile(path.join(dataDir, 'logs/postgres.log')),
  });
  const url = `postgresql://postgres:${password}@127.0.0.1:${port}/image_gateway`;
  await ensureDatabase(url, signal);
  return { process, url, folder: location.folder };
}
