import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Database,
  describeMissingRights,
  findMissingRights,
  getSqlState,
  renderRoleSettings,
  SESSION_DEFAULTS,
  UNCHECKED_ENCODING,
} from '@image-gateway/shared/db';
import { UnusableServiceError } from '@image-gateway/shared/errors';
import { explainError } from '../cli/explain-error.js';
import {
  describePostgres,
  findAccountHolders,
  listAppliedMigrations,
  type PostgresDescription,
  tryDisk,
} from '../system/postgres.js';
import { type CheckResult, fault, fine, warning } from './check-result.js';

const PART = 'PostgreSQL';
const UTF8 = 'Use a database of UTF8: pg_dump -Fc, createdb -E UTF8 -T template0, pg_restore.';
const MIN_VERSION = 150_000;
const MAX_SKEW_MS = 1_000;
/** Time for which a session may hold rows of accounts; statements of the gateway end much earlier. */
const HOLD_MS = 3_000;

/** Observations by SQLSTATE of a server that answers. */
const TROUBLE: Readonly<Record<string, string>> = {
  '28P01': 'refuses the password',
  '28000': 'refuses the user',
  '3D000': 'has no such database',
  '53300': 'has no free connection',
  '25006': 'takes no writes',
  '42501': 'refuses the role a right',
  '57P03': 'starts or stops',
};

/** Checks that PostgreSQL responds, is new enough, is durable, takes writes, has every migration, and has the right time. */
export async function checkPostgres(db: Database, migrationsDir: string): Promise<CheckResult[]> {
  try {
    const [about, roundTripMs, requestedAt] = await measure(db);
    return [
      about.versionNumber >= MIN_VERSION
        ? fine(PART, `version ${about.version}, responds in ${roundTripMs.toFixed(0)} ms`)
        : fault(PART, `version ${about.version}`, 'Use PostgreSQL 15 or newer.'),
      checkSessions(about),
      ...about.volatile.map((name) =>
        warning(PART, `${name} is off: a crash may lose confirmed payments`, `Set ${name} = on.`),
      ),
      ...(about.encoding === UNCHECKED_ENCODING
        ? [warning(PART, `its encoding is ${about.encoding}: no text is checked`, UTF8)]
        : []),
      checkClock(about.nowMs - (requestedAt + roundTripMs / 2), roundTripMs),
      ...(await checkTables(db, { ...about, migrationsDir })),
    ];
  } catch (error) {
    const answered = TROUBLE[getSqlState(error) ?? ''] ?? 'does not respond';
    const observed = error instanceof UnusableServiceError ? 'cannot be used' : answered;
    return [fault(PART, observed, explainError(error).message)];
  }
}

/** Checks the rights of the role, the migrations, that there is disk for writes, and that nobody holds up submits. */
async function checkTables(
  db: Database,
  { hasMigrations, migrationsDir }: PostgresDescription & { readonly migrationsDir: string },
): Promise<CheckResult[]> {
  if (!hasMigrations) {
    return [await checkMigrations([], migrationsDir)];
  }
  const missing = await findMissingRights(db);
  if (missing !== null) {
    const { observed, remediation } = describeMissingRights(missing);
    return [fault('rights', observed, remediation)];
  }
  return [
    ...(await checkWrites(db)),
    ...(await checkHolders(db)),
    await checkMigrations(await listAppliedMigrations(db), migrationsDir),
  ];
}

/** Writes and removes more than a few pages have room for. A look alone does not see a full disk. */
async function checkWrites(db: Database): Promise<CheckResult[]> {
  try {
    await tryDisk(db, randomUUID());
    return [];
  } catch (error) {
    return [fault(PART, 'cannot write 128 KiB', explainError(error).message)];
  }
}

/** Looks twice for a transaction that holds rows of accounts. */
async function checkHolders(db: Database): Promise<CheckResult[]> {
  const first = await findAccountHolders(db);
  if (first.length === 0) {
    return [];
  }
  await pause(HOLD_MS);
  const held = new Set(first.map(({ pid, transaction }) => `${pid} ${transaction}`));
  const still = (await findAccountHolders(db)).filter(({ pid, transaction }) =>
    held.has(`${pid} ${transaction}`),
  );
  return still.map(({ pid, role, program }) =>
    fault(
      'locks',
      `session ${pid} of ${role ?? 'another role'} (${program ?? 'no name'}) holds rows of accounts: submits and ends of tasks wait`,
      `End it, unless it is your own work: SELECT pg_terminate_backend(${pid})`,
    ),
  );
}

/** Looks for the limits of the product. An operator may have given the role other ones, but none is missing. */
function checkSessions({ role, database, sessions }: PostgresDescription): CheckResult {
  const missing = SESSION_DEFAULTS.filter(({ name, value, accepts }) => {
    const is = sessions[name];
    return accepts === undefined && is !== value && (is === '0' || /[^0-9]/.test(value));
  });
  const part = 'sessions';
  if (missing.length === 0) {
    const seconds = Number(sessions.statement_timeout) / 1_000;
    return fine(part, `their settings stand on the role ${role}: statements end after ${seconds} s`);
  }
  const names = missing.map(({ name }) => name).join(', ');
  return warning(
    part,
    `the role ${role} has no ${names}: processes end their statements themselves`,
    'Run: npm run gateway -- migrate. If it may not change the role, an administrator runs: ' +
      `${renderRoleSettings({ role, database }, missing)}`,
  );
}

async function measure(db: Database): Promise<[PostgresDescription, number, number]> {
  await db.ping();
  const requestedAt = Date.now();
  const started = performance.now();
  const about = await describePostgres(db);
  return [about, performance.now() - started, requestedAt];
}

function checkClock(skewMs: number, roundTripMs: number): CheckResult {
  const off = Math.max(0, Math.abs(skewMs) - roundTripMs / 2);
  const observed = `this machine and the database differ by ${(off / 1000).toFixed(1)} s`;
  return off <= MAX_SKEW_MS
    ? fine('clocks', observed)
    : warning('clocks', observed, 'Synchronize the clocks with NTP; the database sets all times of tasks.');
}

async function checkMigrations(names: readonly string[], folder: string): Promise<CheckResult> {
  const entries = await readdir(folder, { withFileTypes: true });
  const wanted = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const applied = new Set(names);
  const missing = wanted.filter((name) => !applied.has(name));
  if (missing.length === 0) {
    return fine('migrations', `all ${wanted.length} are applied`);
  }
  return fault('migrations', `not applied: ${missing.sort().join(', ')}`, 'Run: npm run gateway -- migrate');
}
