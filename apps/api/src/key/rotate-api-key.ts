import { createHash } from 'node:crypto';
import type { Database, Statement } from '@image-gateway/shared/db';
import { AppError, notFound } from '@image-gateway/shared/errors';
import { newApiKey, newId } from '@image-gateway/shared/ids';
import { keyLimits } from './create-limits.js';
import { createTooManyKeysError, MAX_ACTIVE_KEYS } from './max-active-keys.js';

/** API key to replace and its grace period. */
export interface KeyToRotate {
  /** Account of the key; null: whichever it is, for operators. */
  readonly accountId: string | null;
  readonly keyId: string;
  /** 0 revokes the old key at once. */
  readonly graceHours: number;
  /** Author of the change, for the audit log. */
  readonly actor: string;
}

// The grace period never extends the old key. The new key inherits name, expiry and limits, and both are of one family, whose
// spending counts together. Without a grace period the old key frees its place; with one, the account may have one key above
// the maximum.
const ROTATE_API_KEY: Statement = {
  name: 'rotate-api-key',
  text: `
WITH account AS MATERIALIZED (SELECT lock_account_and_count_keys($2) AS keys),
found AS (
  SELECT * FROM api_keys
   WHERE id = $1 AND account_id = $2::text AND revoked_at IS NULL AND COALESCE(expires_at > now(), true)
   FOR UPDATE),
old AS (SELECT found.* FROM found, account WHERE $6::int = 0 OR keys <= $9::int),
fading AS (
  UPDATE api_keys k
     SET revoked_at = CASE WHEN $6::int = 0 THEN now() END,
         expires_at = CASE WHEN $6::int = 0 THEN k.expires_at
                           ELSE LEAST(k.expires_at, now() + make_interval(hours => $6::int)) END,
         family = COALESCE(k.family, k.id)
    FROM old WHERE k.id = old.id),
fresh AS (
  INSERT INTO api_keys (id, account_id, name, prefix, hash, expires_at, family, ${keyLimits.columns})
  SELECT $3, $2, name, $4, $5, expires_at, COALESCE(family, id), ${keyLimits.columns}
    FROM old RETURNING id),
audit AS (INSERT INTO audit_entries (id, action, subject, detail) SELECT $7, 'key.rotate', old.id, $8::jsonb FROM old)
SELECT fresh.id FROM found LEFT JOIN fresh ON true`,
};

/**
 * Replaces an active key by a new one; the old key works until the grace period ends. Caps and what is used of them go on.
 * Throws AppError `NOT_FOUND` for an inactive key or a key of another account, and `BAD_REQUEST` above the maximum of active
 * keys.
 */
export async function rotateApiKey(
  { db }: { readonly db: Pick<Database, 'run'> },
  { accountId, keyId, graceHours, actor }: KeyToRotate,
): Promise<{ readonly id: string; readonly key: string; readonly prefix: string }> {
  const id = newId('key');
  const { key, prefix } = newApiKey();
  const hash = createHash('sha256').update(key).digest();
  const detail = JSON.stringify({ actor, replacedBy: id, prefix, graceHours });
  const audit = [newId('aud'), detail];
  const values = [
    keyId,
    accountId ?? (await findOwner(db, keyId)),
    id,
    prefix,
    hash,
    graceHours,
    ...audit,
    MAX_ACTIVE_KEYS,
  ];
  const [row] = await db.run<{ readonly id: string | null }>(ROTATE_API_KEY, values);
  if (!row) {
    throw new AppError('NOT_FOUND', { publicMessage: 'There is no active API key with this id.' });
  }
  if (row.id === null) {
    throw createTooManyKeysError();
  }
  return { id, key, prefix };
}

const FIND_OWNER: Statement = {
  name: 'find-account-of-key',
  text: 'SELECT account_id AS "accountId" FROM api_keys WHERE id = $1',
};

async function findOwner(db: Pick<Database, 'run'>, keyId: string): Promise<string> {
  const [row] = await db.run<{ readonly accountId: string }>(FIND_OWNER, [keyId]);
  if (!row) {
    throw notFound('API key', keyId);
  }
  return row.accountId;
}
