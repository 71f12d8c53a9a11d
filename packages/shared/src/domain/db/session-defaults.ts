import pg from 'pg';
import { openOwner } from './migrations/open-owner.js';

/** A setting of the sessions of the product. */
export interface SessionDefault {
  readonly name: string;
  /** As PostgreSQL takes it; times in milliseconds. */
  readonly value: string;
}

/**
 * Settings that stand on the role in the database: poolers refuse them in the startup packet, and in transaction mode lose a `SET`.
 * A request waits 1.8 s for a lock at most. Compiling a statement that the planner overestimates takes longer than running it.
 */
export const SESSION_DEFAULTS: readonly SessionDefault[] = [
  { name: 'statement_timeout', value: '5000' },
  { name: 'lock_timeout', value: '1800' },
  { name: 'idle_in_transaction_session_timeout', value: '10000' },
  { name: 'TimeZone', value: 'UTC' },
  { name: 'jit', value: 'off' },
];

/** Longest statement that the role allows, in milliseconds; longer ones lift the limit for their transaction. */
export const ROLE_STATEMENT_MS = 5_000;

/** Returns the statements that give a role those of the settings that it does not have in the current database. */
export function renderSessionDefaults(role: string): string {
  const rows = SESSION_DEFAULTS.map(
    ({ name, value }) => `(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(value)})`,
  );
  return `
DO $$ DECLARE d record; BEGIN
  -- Several that set them at a time would change one row of the catalog.
  PERFORM pg_advisory_xact_lock(72707370);
  FOR d IN SELECT v.name, v.value FROM (VALUES ${rows.join(', ')}) AS v(name, value)
    WHERE NOT EXISTS (
      SELECT 1 FROM pg_db_role_setting s, unnest(s.setconfig) c
       WHERE s.setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
         AND s.setrole = (SELECT oid FROM pg_roles WHERE rolname = ${role}) AND lower(split_part(c, '=', 1)) = lower(v.name))
  LOOP
    EXECUTE format('ALTER ROLE %I IN DATABASE %I SET %s TO %L', ${role}, current_database(), d.name, d.value);
  END LOOP;
END $$;`;
}

/** Gives the role of a URL the settings of the product in that database, where it has no value of its own. Throws what the driver throws. */
export async function setSessionDefaults(url: string): Promise<void> {
  const client = await openOwner(url);
  try {
    await client.query(renderSessionDefaults('current_user'));
  } finally {
    await client.end();
  }
}
