import { eventually, freePort } from '@image-gateway/testing';
import { openPostgresFolder, queryPostgres } from './open-postgres-folder.js';

/** A primary with a streaming standby. */
export interface PostgresPair {
  /** Port of the server that takes writes. */
  readonly port: () => number;
  /** Process of the server that takes writes. */
  readonly pid: () => number;
  /** Kills the primary. */
  readonly killPrimary: () => Promise<void>;
  /** Keeps the standby from receiving anything, as a network would that is down. */
  readonly cutStandby: () => Promise<void>;
  /** Makes the standby the primary. */
  readonly promote: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts both servers. A synchronous standby gets each commit before it is answered, an asynchronous one some time after. */
export async function startPostgresPair(standbyIs: 'synchronous' | 'asynchronous'): Promise<PostgresPair> {
  const folder = openPostgresFolder();
  const ports = { primary: await freePort(), standby: await freePort() };
  await folder.init('primary');
  const primary = await folder.start('primary', ports.primary);
  const source = ['-h', '127.0.0.1', '-p', String(ports.primary), '-U', 'postgres'];
  await folder.run('pg_basebackup', [
    ...source,
    '-D',
    'standby',
    '-R',
    '-X',
    'stream',
    '-c',
    'fast',
    '--no-sync',
  ]);
  const standby = await folder.start('standby', ports.standby);
  const isSynchronous = standbyIs === 'synchronous';
  if (isSynchronous) {
    await queryPostgres(ports.primary, `ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await queryPostgres(ports.primary, 'SELECT pg_reload_conf()');
  }
  await eventually(
    async () => {
      const text = 'SELECT sync_state AS state FROM pg_stat_replication';
      const [row] = await queryPostgres<{ state: string }>(ports.primary, text);
      if (row?.state !== (isSynchronous ? 'sync' : 'async')) {
        throw new Error(`the standby is ${row?.state ?? 'missing'}`);
      }
    },
    { timeoutMs: 30_000, everyMs: 100 },
  );
  let isPromoted = false;
  return {
    port: () => (isPromoted ? ports.standby : ports.primary),
    pid: () => (isPromoted ? standby : primary).pid ?? 0,
    killPrimary: () => folder.kill(primary),
    cutStandby: async () => {
      await queryPostgres(ports.standby, `ALTER SYSTEM SET primary_conninfo = ''`);
      await queryPostgres(ports.standby, 'SELECT pg_reload_conf()');
    },
    promote: async () => {
      await queryPostgres(ports.standby, 'SELECT pg_promote(true, 30)');
      isPromoted = true;
    },
    stop: folder.stop,
  };
}
