import path from 'node:path';
import { env } from 'node:process';
import { keepPort } from '../data-dir/keep-port.js';
import { ensureDatabase } from '../database/ensure-database.js';
import { choosePlace } from '../postgres/choose-place.js';
import { findBinaries } from '../postgres/find-binaries.js';
import { initCluster, putForeignAside } from '../postgres/init-cluster.js';
import { clearPostgresLeftover, postgresCommand } from '../postgres/postgres-service.js';
import { logToFile } from './log-file.js';
import type { RunningService, ServiceContext } from './service-context.js';

/** Running PostgreSQL. */
export interface RunningPostgres extends RunningService {
  /** Folder of its files: in the data folder, or elsewhere. */
  readonly folder: string;
}

/** Starts the embedded PostgreSQL, waits until it answers and has its database; the URL holds the superuser's password. */
export async function startPostgres(context: ServiceContext, password: string): Promise<RunningPostgres> {
  const { dataDir, durable, supervisor, say, signal } = context;
  const place = choosePlace(dataDir, findBinaries(env));
  if (place.elsewhere) {
    say(`The user of PostgreSQL cannot reach ${dataDir}: the database's files are in ${place.folder}`);
  }
  await clearPostgresLeftover(place.cluster);
  const aside = putForeignAside(place, password);
  if (aside) {
    say(`A database of an earlier data folder of this name is kept in ${aside}`);
  }
  await initCluster(place, password);
  const port = await keepPort(dataDir, 'postgres');
  const process = await supervisor.start({
    name: 'postgres',
    role: 'service',
    // Fast shutdown: open connections are ended, everything is written.
    stopSignal: 'SIGINT',
    command: () => postgresCommand({ place, port, durable }),
    output: logToFile(path.join(dataDir, 'logs/postgres.log')),
  });
  const url = `postgresql://postgres:${password}@127.0.0.1:${port}/image_gateway`;
  await ensureDatabase(url, signal);
  return { process, url, folder: place.folder };
}
