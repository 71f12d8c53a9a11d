import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { AppError } from '@image-gateway/shared/errors';
import { redactText } from '@image-gateway/shared/logging/redact';

type Env = Readonly<Record<string, string | undefined>>;

/** Programs of PostgreSQL of one major version. */
export interface PostgresPrograms {
  readonly dump: string;
  readonly restore: string;
}

const KEPT_OUTPUT = 4_000;
/** Parts of an address that libpq knows; it refuses others, such as those of Prisma and of poolers. */
const LIBPQ = new Set([
  'host',
  'port',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'connect_timeout',
  'target_session_attrs',
]);

/**
 * Finds `pg_dump` and `pg_restore` of the server's major version: that of PG_DUMP, else those of Debian's packages and on PATH. Throws
 * AppError that says what was found instead.
 */
export async function findPrograms(env: Env, major: number, otherwise: string): Promise<PostgresPrograms> {
  const given = env.PG_DUMP?.trim();
  const folders = [`/usr/lib/postgresql/${major}/bin`, ...(env.PATH ?? '').split(delimiter)];
  const places = given ? [given] : folders.filter(Boolean).map((folder) => join(folder, 'pg_dump'));
  const found: string[] = [];
  for (const dump of new Set(places)) {
    const version = existsSync(dump) ? await readVersion(dump) : null;
    const restore = join(dirname(dump), 'pg_restore');
    if (version !== null && Number.parseInt(version, 10) === major && existsSync(restore)) {
      return { dump, restore };
    }
    if (version !== null) {
      found.push(`${dump} is of ${version}`);
    }
  }
  const seen = found.length > 0 ? ` (${found.join(', ')})` : '';
  throw new AppError('BAD_REQUEST', {
    publicMessage:
      `There is no pg_dump with pg_restore of PostgreSQL ${major} here${seen}. Install postgresql-client-${major}, or set PG_DUMP to ` +
      `the program. ${otherwise}`,
  });
}

function readVersion(program: string): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(program, ['--version'], { timeout: 10_000 }, (_error, stdout) => {
      resolve(/\) (\d+[\w.]*)/.exec(stdout)?.[1] ?? null);
    });
  });
}

/** Program of PostgreSQL to run on a database. */
export interface ProgramRun {
  readonly program: string;
  readonly url: string;
  readonly args: readonly string[];
  readonly env: Env;
  readonly signal: AbortSignal;
}

/** Runs a program of PostgreSQL to its end; the password is in its environment, since others see arguments. Throws AppError. */
export async function runProgram({ program, url, args, env, signal }: ProgramRun): Promise<void> {
  const address = new URL(url);
  const password = decodeURIComponent(address.password);
  address.password = '';
  for (const name of [...address.searchParams.keys()].filter((one) => !LIBPQ.has(one))) {
    address.searchParams.delete(name);
  }
  // A mode of the driver that libpq has under another name.
  if (address.searchParams.get('sslmode') === 'no-verify') {
    address.searchParams.set('sslmode', 'require');
  }
  const child = spawn(program, ['--dbname', address.href, '--no-password', ...args], {
    env: { ...env, LC_ALL: 'C', ...(password && { PGPASSWORD: password }) },
    stdio: ['ignore', 'ignore', 'pipe'],
    // Ctrl-C in a terminal reaches all of its processes; this one is ended below.
    detached: true,
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = `${complaint}${text}`.slice(-KEPT_OUTPUT);
  });
  const end = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', end, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    signal.throwIfAborted();
    if (code !== 0) {
      throw new AppError('SERVICE_UNAVAILABLE', { publicMessage: explain(program, complaint.trim()) });
    }
  } finally {
    signal.removeEventListener('abort', end);
  }
}

function explain(program: string, complaint: string): string {
  const words = `${program} failed: ${redactText(complaint) || 'it says nothing'}`;
  if (/no space left/i.test(complaint)) {
    return `${words}\nThe disk is full. Free space, or choose another place.`;
  }
  if (/permission denied/i.test(complaint)) {
    return `${words}\nThe role lacks a right. Set DIRECT_URL to the address of the owner of the tables.`;
  }
  if (/unsupported version|input file/i.test(complaint)) {
    return `${words}\nThe dump is of a newer PostgreSQL, or damaged. Set PG_DUMP to the program of that version beside its pg_restore.`;
  }
  return words;
}
