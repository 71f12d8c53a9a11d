import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@image-gateway/testing';
import pg from 'pg';

const execute = promisify(execFile);

/** A folder for servers of the system's PostgreSQL, which has the programs for copies and dumps. */
export interface PostgresFolder {
  /** Folder of the programs. */
  readonly programs: string;
  /** Runs a program in the folder, as the user that PostgreSQL runs as. */
  readonly run: (program: string, args: readonly string[]) => Promise<void>;
  /** Creates the data of an empty server. */
  readonly init: (name: string) => Promise<void>;
  /** Starts a server on its data, and waits until it answers. */
  readonly start: (name: string, port: number) => Promise<ChildProcess>;
  readonly kill: (child: ChildProcess) => Promise<void>;
  /** Kills all servers and removes the folder. */
  readonly stop: () => Promise<void>;
}

const MAX_DUMP_BYTES = 256 * 1024 ** 2;
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

/** Dumps a database with pg_dump, as text; its server is the system's. */
export async function dumpDatabase(url: string): Promise<Buffer> {
  const program = path.join(findPrograms(), 'pg_dump');
  const { stdout } = await execute(program, ['-d', url], { encoding: 'buffer', maxBuffer: MAX_DUMP_BYTES });
  return stdout;
}

/** Returns the user that PostgreSQL runs as: it refuses root. */
function findUser(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) {
    return {};
  }
  const readId = (option: string): number => Number(execFileSync('id', [option, 'postgres']).toString());
  return { uid: readId('-u'), gid: readId('-g') };
}

/** Runs a statement as the owner of a server. */
export async function queryPostgres<Row extends pg.QueryResultRow>(
  port: number,
  text: string,
): Promise<Row[]> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Opens a folder for servers; nothing of it stays. */
export function openPostgresFolder(): PostgresFolder {
  const programs = findPrograms();
  const user = findUser();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'postgres-'));
  chmodSync(folder, 0o755);
  if (user.uid !== undefined && user.gid !== undefined) {
    chownSync(folder, user.uid, user.gid);
  }
  // Never synchronous: a dump comes through an address that this process keeps.
  const run = async (program: string, args: readonly string[]): Promise<void> => {
    await execute(path.join(programs, program), args, { ...user, cwd: folder });
  };
  const children = new Set<ChildProcess>();
  const kill = async (child: ChildProcess): Promise<void> => {
    children.delete(child);
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
  };
  return {
    programs,
    run,
    init: (name) =>
      run('initdb', ['-D', name, '-U', 'postgres', '--auth=trust', '--no-locale', '-E', 'UTF8', '--no-sync']),
    start: async (name, port) => {
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
      await eventually(() => queryPostgres(port, 'SELECT 1'), { timeoutMs: 30_000, everyMs: 100 });
      return child;
    },
    kill,
    stop: async () => {
      await Promise.all([...children].map(kill));
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
