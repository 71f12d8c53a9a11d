import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

type Delete = (
  db: Pick<Database, 'run'>,
  options: { readonly days: number; readonly limit: number },
) => Promise<number>;

const deleteBy =
  (statement: Statement): Delete =>
  async (db, { days, limit }) =>
    (await db.run(statement, [days, limit])).length;

const IS_OLD = (time: string): string => `${time} < now() - make_interval(secs => $1::float8 * 86400)`;

/**
 * Deletes up to `limit` keys that ended more than `days` ago and never had a task; returns their number. Keys with tasks stay
 * for the books.
 */
export const deleteEndedKeys: Delete = deleteBy({
  name: 'delete-ended-keys',
  text: `
WITH old AS (
  SELECT k.id FROM api_keys k
   WHERE ${IS_OLD('LEAST(k.revoked_at, k.expires_at)')}
     AND NOT EXISTS (SELECT FROM key_spend s WHERE s.account_id = k.account_id AND s.api_key_id = k.id)
   LIMIT $2::int FOR UPDATE OF k SKIP LOCKED)
DELETE FROM api_keys k USING old WHERE k.id = old.id RETURNING k.id`,
});

/** Deletes up to `limit` entries of the audit log that owners made more than `days` ago; returns their number. Those of operators stay. */
export const deleteOwnersAudit: Delete = deleteBy({
  name: 'delete-owners-audit',
  text: `
WITH old AS (
  SELECT id FROM audit_entries WHERE account_id IS NOT NULL AND ${IS_OLD('created_at')} ORDER BY created_at LIMIT $2::int)
DELETE FROM audit_entries e USING old WHERE e.id = old.id RETURNING e.id`,
});

/** Deletes up to `limit` sessions that have expired, whatever `days` are; returns their number. */
export const deleteExpiredSessions: Delete = deleteBy({
  name: 'delete-expired-sessions',
  text: `
WITH old AS (SELECT id FROM auth_sessions WHERE expires_at < now() AND $1::float8 IS NOT NULL ORDER BY expires_at LIMIT $2::int)
DELETE FROM auth_sessions s USING old WHERE s.id = old.id RETURNING s.id`,
});

/** Deletes up to `limit` verifications that have expired, whatever `days` are; returns their number. */
export const deleteExpiredVerifications: Delete = deleteBy({
  name: 'delete-expired-verifications',
  text: `
WITH old AS (SELECT id FROM auth_verifications WHERE expires_at < now() AND $1::float8 IS NOT NULL ORDER BY expires_at LIMIT $2::int)
DELETE FROM auth_verifications v USING old WHERE v.id = old.id RETURNING v.id`,
});
