import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { AppError } from '../../errors/index.js';
import { getSqlState } from '../database-error.js';
import { judgeEncoding, UNCHECKED_ENCODING } from '../session-defaults.js';
import { openOrCreate } from './open-owner.js';
import { refuseFormerRelease, STOP, type StopOptions } from './refuse-previous-release.js';

/** Database to migrate. */
export interface MigrationOptions extends StopOptions {
  /** URL of the owner of the tables. */
  readonly url: string;
  /** Folder with one folder a migration, as Prisma has it. */
  readonly folder: string;
  /** Receives a line for each migration that is applied. */
  readonly report: (line: string) => void;
  /** Name of a migration that a former release left half-way, to be marked as rolled back first. */
  readonly rolledBack?: string | undefined;
  /** Time for which a migration that others keep from its locks is tried again, in milliseconds; ten minutes unless given. */
  readonly timeoutMs?: number;
  /** Longest single wait for a lock, in milliseconds. */
  readonly lockTimeoutMs?: number;
}

/** A migration of the folder. */
interface Migration {
  readonly name: string;
  readonly sql: string;
  /** Names of migrations of a former release in whose place it stands; a database that has them all has what it makes. */
  readonly replaces: readonly string[];
}

/** A row of Prisma's table of migrations that was not rolled back. */
interface Begun {
  readonly name: string;
  readonly startedAt: Date;
  readonly isFinished: boolean;
  readonly logs: string | null;
}

/** Key of the advisory lock under which Prisma's own command migrates. */
const LOCK = 72_707_369;
/** Deadlock, serialization failure and a lock that was not free in time: nothing was changed, and the next try may succeed. */
const REPEATABLE = new Set(['40P01', '40001', '55P03']);
// After a second PostgreSQL looks for deadlocks and ends an autovacuum that is in the way. Requests wait 1.8 s for a lock: those
// behind a waiting migration go on afterwards.
const LOCK_TIMEOUT_MS = 1_600;
const TIMEOUT_MS = 10 * 60_000;
const PAUSE_MS = 1_000;
/** File beside the SQL of a migration that stands in the place of others: their names, one a line. */
const REPLACES = 'replaces.txt';

/**
 * Applies the migrations that are missing, in order, beside processes of this release that go on working, and returns their names. Each
 * one is a transaction with its row in Prisma's table, so a failed one leaves nothing behind. Throws AppError with the remediation.
 */
export async function applyMigrations(options: MigrationOptions): Promise<string[]> {
  const migrations = readMigrations(options.folder);
  const baseline = migrations.find(({ replaces }) => replaces.length > 0);
  const client = await openOrCreate(options.url);
  try {
    await checkEncoding(client, options.tell);
    if (options.rolledBack !== undefined) {
      await markRolledBack(client, options.rolledBack);
    }
    const before = await retry(client, 'The list of migrations', options, () =>
      readApplied(client, baseline),
    );
    await refuseFormerRelease(client, before, { ...options, baseline });
    const done: string[] = [];
    for (const migration of migrations.filter(({ name }) => !before.has(name))) {
      const { name } = migration;
      const isApplied = await retry(client, `The migration ${name}`, options, () =>
        applyOnce(client, migration, baseline),
      );
      if (isApplied) {
        options.report(`applied ${name}`);
        done.push(name);
      }
    }
    return done;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Throws UnusableServiceError, before anything is changed, for a database whose encoding cannot hold every text. */
async function checkEncoding(client: pg.Client, tell: MigrationOptions['tell']): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>('SHOW server_encoding');
  const encoding = rows[0]?.server_encoding;
  const fault = judgeEncoding(client.database ?? '', encoding);
  if (fault) {
    throw fault;
  }
  if (encoding === UNCHECKED_ENCODING) {
    tell(`The database has the encoding ${encoding}, which checks no text; UTF8 is safer`);
  }
}

/** Reads the migrations of a folder in the order of their names. */
function readMigrations(folder: string): Migration[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .map((name) => ({
      name,
      sql: readFileSync(join(folder, name, 'migration.sql'), 'utf8'),
      replaces: readNames(join(folder, name, REPLACES)),
    }));
}

function readNames(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split(/\s+/).filter(Boolean) : [];
}

/** Runs work in a transaction, and again while other sessions keep it from its locks. */
async function retry<T>(
  client: pg.Client,
  what: string,
  { tell, timeoutMs = TIMEOUT_MS, lockTimeoutMs = LOCK_TIMEOUT_MS }: MigrationOptions,
  work: () => Promise<T>,
): Promise<T> {
  const until = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await inTransaction(client, lockTimeoutMs, work);
    } catch (error) {
      const state = getSqlState(error) ?? '';
      if (!REPEATABLE.has(state)) {
        throw error;
      }
      if (Date.now() > until) {
        throw refuse(
          `${what} did not get its locks within ${Math.round(timeoutMs / 1_000)} s: another session keeps a table, such as a ` +
            'backup or a long transaction (pg_stat_activity shows it). Nothing of it was applied. End that session, or wait for ' +
            'it, and run it again.',
        );
      }
      tell(`${what} and other sessions wait for each other (${state}): it is tried again`);
    }
    // Those who waited behind it work off what has piled up.
    await sleep(PAUSE_MS * (0.25 + Math.random()));
  }
}

/** Runs work in a transaction that has the lock of all who migrate; the time limits of the role do not count in it. */
async function inTransaction<T>(
  client: pg.Client,
  lockTimeoutMs: number,
  work: () => Promise<T>,
): Promise<T> {
  await client.query(
    `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
     SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
     SET LOCAL lock_timeout = ${lockTimeoutMs}; SET LOCAL timezone = 'UTC'; SET LOCAL datestyle = 'ISO, MDY';
     SET LOCAL standard_conforming_strings = on`,
  );
  try {
    await client.query(`SELECT pg_advisory_xact_lock(${LOCK})`);
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/**
 * Applies a migration behind the lock, unless another program has done so meanwhile. One that stands in the place of others is only
 * recorded where those are applied; where it runs, they are recorded with it.
 */
async function applyOnce(
  client: pg.Client,
  { name, sql, replaces }: Migration,
  baseline: Migration | undefined,
): Promise<boolean> {
  const applied = await readApplied(client, baseline);
  if (applied.has(name)) {
    return false;
  }
  const isThere = replaces.length > 0 && replaces.every((one) => applied.has(one));
  if (!isThere) {
    try {
      await client.query(sql);
    } catch (error) {
      throw REPEATABLE.has(getSqlState(error) ?? '') ? error : explainFailure(name, error);
    }
  }
  // Prisma records one that it does not run with no steps.
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     SELECT gen_random_uuid(), $1, migration, clock_timestamp(), CASE migration WHEN $2 THEN $3 ELSE 0 END
       FROM unnest($4::text[]) AS m(migration)`,
    [
      createHash('sha256').update(sql).digest('hex'),
      name,
      isThere ? 0 : 1,
      isThere ? [name] : [...replaces, name],
    ],
  );
  return !isThere;
}

/**
 * Reads the names of what is applied; creates Prisma's table in a database that has no tables. Throws AppError for one that is
 * half-way.
 */
async function readApplied(client: pg.Client, baseline: Migration | undefined): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ migrations: string | null; others: string[] }>(
    `SELECT to_regclass('_prisma_migrations') AS migrations, ARRAY(
       SELECT c.relname::text FROM pg_class c
       WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
         AND NOT EXISTS (SELECT 1 FROM pg_depend d
           WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
       ORDER BY 1 LIMIT 3) AS others`,
  );
  const [found] = rows;
  if (found?.migrations == null) {
    if (found !== undefined && found.others.length > 0) {
      throw refuse(
        `The database ${client.database} holds tables of something else (${found.others.join(', ')}). Give the gateway a ` +
          'database of its own.',
      );
    }
    await client.query(PRISMA_TABLE);
    return new Set();
  }
  const { rows: begun } = await client.query<Begun>(
    `SELECT migration_name AS name, started_at AS "startedAt", finished_at IS NOT NULL AS "isFinished", logs
     FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
  );
  const halfWay = begun.find(({ isFinished }) => !isFinished);
  if (halfWay !== undefined) {
    throw explainHalfWay(halfWay, baseline?.replaces.includes(halfWay.name) ?? false);
  }
  return new Set(begun.map(({ name }) => name));
}

// As Prisma creates it.
const PRISMA_TABLE = `CREATE TABLE _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum VARCHAR(64) NOT NULL,
  finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL,
  logs TEXT,
  rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`;

/** Marks a migration that a former release began and did not finish as rolled back, so that it is applied anew. */
async function markRolledBack(client: pg.Client, name: string): Promise<void> {
  const { rowCount } = await inTransaction(client, TIMEOUT_MS, () =>
    client.query(
      `UPDATE _prisma_migrations SET rolled_back_at = clock_timestamp()
       WHERE migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL`,
      [name],
    ),
  );
  if (rowCount === 0) {
    throw refuse(`No migration ${name} was begun and not finished: there is nothing to mark.`);
  }
}

function explainHalfWay({ name, startedAt, logs }: Begun, isReplaced: boolean): AppError {
  const [words] = (logs ?? '').split('\n').filter((line) => line.trim() !== '');
  const remedy = isReplaced
    ? `This release no longer has it. Mark it as rolled back and apply it again with ${STOP.release}, ` +
      `whose commit docs/releases.md names, then run this release. With ${STOP.release}:`
    : 'Mark it as rolled back and apply it again with:';
  const why = words ? ` (${words.trim()})` : '';
  return refuse(
    `A former release began the migration ${name} at ${startedAt.toISOString()} and did not finish it${why}. ` +
      `PostgreSQL has undone all of it. ${remedy} npm run gateway -- migrate --rolled-back ${name}`,
  );
}

function explainFailure(name: string, error: unknown): AppError {
  const { message, detail } = error as pg.DatabaseError;
  const more = detail === undefined ? '' : ` (${detail})`;
  return refuse(
    `The migration ${name} failed: ${message}${more}. Nothing of it was applied, and the migrations before it stay. ` +
      'Remove the cause and run it again.',
  );
}

function refuse(publicMessage: string): AppError {
  return new AppError('SERVICE_UNAVAILABLE', { publicMessage });
}
