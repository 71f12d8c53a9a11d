import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { eventually, freePort } from '@image-gateway/testing';
import pg from 'pg';

/** A primary with a synchronous streaming standby. */
export interface PostgresPair {
  /** Port of the server that takes writes. */
  readonly port: () => number;
  /** Process of the server that takes writes. */
  readonly pid: () => number;
  /** Kills the primary. */
  readonly killPrimary: () => Promise<void>;
  /** Makes the standby the primary. */
  readonly promote: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const DEBIAN = '/usr/lib/postgresql';

/** Finds a folder with the programs of a PostgreSQL that has pg_basebackup: POSTGRES_BIN, or the system's newest. */
function findPrograms(): string {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [process.env.POSTGRES_BIN ?? '', ...versions.map((one) => path.join(DEBIAN, one, 'bin'))];
  const found = folders.find((folder) => existsSync(path.join(folder, 'pg_basebackup')));
  if (found === undefined) {
    throw new Error('there is no pg_basebackup: install PostgreSQL 15 or newer, or set POSTGRES_BIN');
  }
  return found;
}

/** Returns the user that PostgreSQL runs as: it refuses root. */
function findUser(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) {
    return {};
  }
  const readId = (option: string): number => Number(execFileSync('id', [option, 'postgres']).toString());
  return { uid: readId('-u'), gid: readId('-g') };
}

/** Starts both servers, and waits until each commit reaches the standby before it is answered. */
export async function startPostgresPair(): Promise<PostgresPair> {
  const programs = findPrograms();
  const user = findUser();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'postgres-pair-'));
  chmodSync(folder, 0o755);
  if (user.uid !== undefined && user.gid !== undefined) {
    chownSync(folder, user.uid, user.gid);
  }
  const run = (program: string, args: readonly string[]): void => {
    execFileSync(path.join(programs, program), args, { ...user, cwd: folder, stdio: 'ignore' });
  };
  const children = new Set<ChildProcess>();
  const start = (name: string, port: number): ChildProcess => {
    const settings = [
      `port=${port}`,
      'listen_addresses=127.0.0.1',
      `unix_socket_directories=${folder}`,
      'max_connections=200',
      'wal_level=replica',
      'hot_standby=on',
      'fsync=off',
    ];
    const args = ['-D', path.join(folder, name), ...settings.flatMap((one) => ['-c', one])];
    const child = spawn(path.join(programs, 'postgres'), args, { ...user, cwd: folder, stdio: 'ignore' });
    children.add(child);
    return child;
  };
  const kill = async (child: ChildProcess): Promise<void> => {
    children.delete(child);
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
  };
  const query = async <Row extends pg.QueryResultRow>(port: number, text: string): Promise<Row[]> => {
    const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  };
  const untilReady = (port: number): Promise<unknown> =>
    eventually(() => query(port, 'SELECT 1'), { timeoutMs: 30_000, everyMs: 100 });

  const ports = { primary: await freePort(), standby: await freePort() };
  run('initdb', [
    '-D',
    'primary',
    '-U',
    'postgres',
    '--auth=trust',
    '--no-locale',
    '-E',
    'UTF8',
    '--no-sync',
  ]);
  const primary = start('primary', ports.primary);
  await untilReady(ports.primary);
  const source = ['-h', '127.0.0.1', '-p', String(ports.primary), '-U', 'postgres'];
  run('pg_basebackup', [...source, '-D', 'standby', '-R', '-X', 'stream', '-c', 'fast', '--no-sync']);
  const standby = start('standby', ports.standby);
  await untilReady(ports.standby);
  await query(ports.primary, `ALTER SYSTEM SET synchronous_standby_names = '*'`);
  await query(ports.primary, 'SELECT pg_reload_conf()');
  await eventually(
    async () => {
      const [row] = await query<{ state: string }>(
        ports.primary,
        'SELECT sync_state AS state FROM pg_stat_replication',
      );
      if (row?.state !== 'sync') {
        throw new Error(`the standby is ${row?.state ?? 'missing'}`);
      }
    },
    { timeoutMs: 30_000, everyMs: 100 },
  );
  let isPromoted = false;
  return {
    port: () => (isPromoted ? ports.standby : ports.primary),
    pid: () => (isPromoted ? standby : primary).pid ?? 0,
    killPrimary: () => kill(primary),
    promote: async () => {
      await query(ports.standby, 'SELECT pg_promote(true, 30)');
      isPromoted = true;
    },
    stop: async () => {
      await Promise.all([...children].map(kill));
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
