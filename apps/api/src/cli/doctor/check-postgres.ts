import { readdir } from 'node:fs/promises';
import type { Database, Statement } from '@image-gateway/shared/db';
import { explainError } from '../explain-error.js';
import { type CheckResult, fault, fine, warning } from './check-result.js';

const PART = 'PostgreSQL';
const OLDEST_VERSION = 150_000;
const MOST_SKEW_MS = 1_000;

const ABOUT: Statement = {
  name: 'doctor-about',
  text: `
SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS "versionNumber",
       current_setting('TimeZone') AS zone, current_setting('fsync') AS fsync,
       (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::float8 AS "nowMs",
       to_regclass('_prisma_migrations') IS NOT NULL AS "hasMigrations"`,
};
const MIGRATIONS: Statement = {
  name: 'doctor-migrations',
  text: `SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`,
};

interface About {
  readonly version: string;
  readonly versionNumber: number;
  readonly zone: string;
  readonly fsync: string;
  readonly nowMs: number;
  readonly hasMigrations: boolean;
}

/** Checks that PostgreSQL answers, is new enough, keeps what it confirms, has every migration, and agrees about the time. */
export async function checkPostgres(db: Database, migrationsDir: string): Promise<CheckResult[]> {
  try {
    const [about, roundTripMs, askedAt] = await ask(db);
    if (!about) return [fault(PART, 'answered nothing', 'Look at the log of PostgreSQL.')];
    return [
      about.versionNumber >= OLDEST_VERSION
        ? fine(PART, `version ${about.version}, answers in ${roundTripMs.toFixed(0)} ms`)
        : fault(PART, `version ${about.version}`, 'Use PostgreSQL 15 or newer.'),
      ...(about.zone === 'UTC'
        ? []
        : [
            fault(
              PART,
              `sessions are in ${about.zone}`,
              'Let start-up options through the pooler: sessions must be in UTC.',
            ),
          ]),
      ...(about.fsync === 'on'
        ? []
        : [warning(PART, 'fsync is off: a crash may lose confirmed payments', 'Set fsync = on.')]),
      checkClock(about.nowMs - (askedAt + roundTripMs / 2), roundTripMs),
      await checkMigrations(db, migrationsDir, about.hasMigrations),
    ];
  } catch (error) {
    const { message } = explainError(error);
    return [fault(PART, 'does not answer', message)];
  }
}

async function ask(db: Database): Promise<[About | undefined, number, number]> {
  await db.ping();
  const askedAt = Date.now();
  const started = performance.now();
  const [about] = await db.run<About>(ABOUT, []);
  return [about, performance.now() - started, askedAt];
}

function checkClock(skewMs: number, roundTripMs: number): CheckResult {
  const off = Math.max(0, Math.abs(skewMs) - roundTripMs / 2);
  const seen = `this machine and the database differ by ${(off / 1000).toFixed(1)} s`;
  return off <= MOST_SKEW_MS
    ? fine('clocks', seen)
    : warning('clocks', seen, 'Keep the clocks in step with NTP; the database decides all times of tasks.');
}

async function checkMigrations(db: Database, folder: string, exist: boolean): Promise<CheckResult> {
  const entries = await readdir(folder, { withFileTypes: true });
  const wanted = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const rows = exist ? await db.run<{ name: string }>(MIGRATIONS, []) : [];
  const applied = new Set(rows.map(({ name }) => name));
  const missing = wanted.filter((name) => !applied.has(name));
  if (missing.length === 0) return fine('migrations', `all ${wanted.length} are applied`);
  return fault('migrations', `not applied: ${missing.sort().join(', ')}`, 'Run: npm run db:migrate');
}
