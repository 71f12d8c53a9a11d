import pg from 'pg';
import { UnusableServiceError } from '../errors/index.js';
import { openOwner } from './migrations/open-owner.js';

/** A setting of the sessions of the product. */
export interface SessionDefault {
  readonly name: string;
  /** As PostgreSQL takes it; times in milliseconds. */
  readonly value: string;
  /** Completes "sessions need it, because …". */
  readonly reason: string;
  /** Pattern of the values with which results are right; absent for a limit, for which an operator may choose another value. */
  readonly accepts?: string;
  /** Only a superuser may set it: `migrate` leaves it alone. */
  readonly isAdmins?: boolean;
}

/**
 * Settings that stand on the role in the database: poolers refuse them in the startup packet, and in transaction mode lose a `SET`.
 * Those with `accepts` change what statements return or do; docs/managed-postgresql.md names others that were tried and change nothing.
 */
export const SESSION_DEFAULTS: readonly SessionDefault[] = [
  {
    name: 'statement_timeout',
    value: '5000',
    reason: 'a statement that runs on holds locks and a connection',
  },
  { name: 'lock_timeout', value: '1800', reason: 'a request waits for a lock for 1.8 s at most' },
  {
    name: 'idle_in_transaction_session_timeout',
    value: '10000',
    reason: 'a process that stops within a transaction holds its locks',
  },
  { name: 'jit', value: 'off', reason: 'compiling an overestimated statement takes longer than running it' },
  {
    name: 'DateStyle',
    value: 'ISO, MDY',
    reason: 'drivers read times in ISO form only',
    accepts: '^ISO,',
  },
  {
    name: 'TimeZone',
    value: 'UTC',
    reason: 'Prisma drops the offset of a time that it reads',
    accepts: '^(Etc/)?(UTC|UCT|Zulu|Universal|GMT|Greenwich)$',
  },
  {
    name: 'default_transaction_isolation',
    value: 'read committed',
    reason: 'a statement that waited for a lock must see what the holder wrote',
    accepts: '^read committed$',
  },
  {
    name: 'standard_conforming_strings',
    value: 'on',
    reason: 'patterns in statements have backslashes',
    accepts: '^on$',
  },
  {
    name: 'session_replication_role',
    value: 'origin',
    reason: 'counters of lists, usage and caps are kept by triggers',
    accepts: '^(origin|local)$',
    isAdmins: true,
  },
];

/** Settings with which results may be wrong. Each use of a connection judges them, so their patterns are compiled once. */
const JUDGED = SESSION_DEFAULTS.flatMap(({ accepts, ...one }) =>
  accepts === undefined ? [] : [{ ...one, accepts: new RegExp(accepts, 'i') }],
);

/** Longest statement that the role allows, in milliseconds; longer ones lift the limit for their transaction. */
export const ROLE_STATEMENT_MS = 5_000;

/** Role and database of a session, and what it reports or has for some of the settings and for `server_encoding`, by name. */
export interface SessionState {
  readonly role: string;
  readonly database: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** Returns the statements with which an administrator gives a role in a database some of the settings. */
export function renderRoleSettings(
  { role, database }: Pick<SessionState, 'role' | 'database'>,
  settings: readonly Pick<SessionDefault, 'name' | 'value'>[],
): string {
  const target = `${pg.escapeIdentifier(role)} IN DATABASE ${pg.escapeIdentifier(database)}`;
  return settings
    .map(({ name, value }) => `ALTER ROLE ${target} SET ${name} TO ${pg.escapeLiteral(value)};`)
    .join(' ');
}

/** Encoding that holds every text. */
const UTF8 = 'UTF8';
/** Encoding of a database that keeps bytes as they come, and so every text, but checks none. */
export const UNCHECKED_ENCODING = 'SQL_ASCII';

/** Returns the error of a database whose encoding cannot hold every text, with the way to another one; null for a right one. */
export function judgeEncoding(database: string, encoding: string | undefined): UnusableServiceError | null {
  if (encoding === undefined || encoding === UTF8 || encoding === UNCHECKED_ENCODING) {
    return null;
  }
  return new UnusableServiceError(
    `The database ${database} has the encoding ${encoding}, which cannot hold every prompt. Move it to one of UTF8: pg_dump -Fc ` +
      `-d ${database} -f gateway.dump; createdb -E UTF8 -T template0 ${database}_utf8; pg_restore -d ${database}_utf8 ` +
      'gateway.dump; then name that one in DATABASE_URL.',
  );
}

/**
 * Returns the error of a session in which statements would return or do something else, with what to do; null for a right one. Settings
 * that are not given are right.
 */
export function judgeSession(state: SessionState): UnusableServiceError | null {
  const encoding = judgeEncoding(state.database, state.settings.server_encoding);
  if (encoding) {
    return encoding;
  }
  const wrong = JUDGED.filter(({ name, accepts }) => {
    const value = state.settings[name];
    return value !== undefined && !accepts.test(value);
  });
  if (wrong.length === 0) {
    return null;
  }
  const what = wrong.map(({ name, reason }) => `${name} ${state.settings[name]} (${reason})`).join(', ');
  return new UnusableServiceError(
    `Sessions of the role ${state.role} in the database ${state.database} have ${what}. Run npm run gateway -- migrate, or as ` +
      `an administrator: ${renderRoleSettings(state, wrong)} A pooler has to reconnect.`,
  );
}

/** Returns the statements that give a role the settings that it lacks in the current database, or has there with a wrong value. */
export function renderSessionDefaults(role: string): string {
  const rows = SESSION_DEFAULTS.filter(({ isAdmins }) => !isAdmins).map(
    ({ name, value, accepts = '' }) =>
      `(${[name, value, accepts].map((text) => pg.escapeLiteral(text)).join(', ')})`,
  );
  return `
DO $$ DECLARE d record; BEGIN
  -- Several that set them at a time would change one row of the catalog.
  PERFORM pg_advisory_xact_lock(72707370);
  FOR d IN SELECT v.name, v.value FROM (VALUES ${rows.join(', ')}) AS v(name, value, accepts)
    WHERE NOT EXISTS (
      SELECT 1 FROM pg_db_role_setting s, unnest(s.setconfig) c
       WHERE s.setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
         AND s.setrole = (SELECT oid FROM pg_roles WHERE rolname = ${role}) AND lower(split_part(c, '=', 1)) = lower(v.name)
         AND substr(c, strpos(c, '=') + 1) ~* v.accepts)
  LOOP
    EXECUTE format('ALTER ROLE %I IN DATABASE %I SET %s TO %L', ${role}, current_database(), d.name, d.value);
  END LOOP;
END $$;`;
}

/**
 * Gives the role of a URL the settings of the product in that database. A limit that it has there stays; a value with which results would
 * be wrong does not. Throws what the driver throws.
 */
export async function setSessionDefaults(url: string): Promise<void> {
  const client = await openOwner(url);
  try {
    await client.query(renderSessionDefaults('current_user'));
  } finally {
    await client.end();
  }
}
