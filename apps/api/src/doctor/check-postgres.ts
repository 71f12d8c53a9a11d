import { readdir } from 'node:fs/promises';
import {
  type Database,
  renderRoleSettings,
  SESSION_DEFAULTS,
  UNCHECKED_ENCODING,
} from '@image-gateway/shared/db';
import { UnusableServiceError } from '@image-gateway/shared/errors';
import { explainError } from '../cli/explain-error.js';
import { describePostgres, listAppliedMigrations, type PostgresDescription } from '../system/postgres.js';
import { type CheckResult, fault, fine, warning } from './check-result.js';

const PART = 'PostgreSQL';
const UTF8 = 'Use a database of UTF8: pg_dump -Fc, createdb -E UTF8 -T template0, pg_restore.';
const MIN_VERSION = 150_000;
const MAX_SKEW_MS = 1_000;

/** Checks that PostgreSQL responds, is new enough, is durable, has every migration, and has the right time. */
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
      await checkMigrations(db, migrationsDir, about.hasMigrations),
    ];
  } catch (error) {
    const { message } = explainError(error);
    return [
      fault(PART, error instanceof UnusableServiceError ? 'cannot be used' : 'does not respond', message),
    ];
  }
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

async function checkMigrations(db: Database, folder: string, exist: boolean): Promise<CheckResult> {
  const entries = await readdir(folder, { withFileTypes: true });
  const wanted = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const applied = new Set(exist ? await listAppliedMigrations(db) : []);
  const missing = wanted.filter((name) => !applied.has(name));
  if (missing.length === 0) {
    return fine('migrations', `all ${wanted.length} are applied`);
  }
  return fault('migrations', `not applied: ${missing.sort().join(', ')}`, 'Run: npm run gateway -- migrate');
}
