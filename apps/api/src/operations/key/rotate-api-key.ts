import { createHash } from 'node:crypto';
import type { Database, Statement } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { newApiKey, newId } from '@image-gateway/shared/ids';
import { createTooManyKeysError, MAX_ACTIVE_KEYS } from './max-active-keys.js';

/** Which key is replaced, and how long it goes on. */
export interface KeyToRotate {
  readonly accountId: string;
  readonly keyId: string;
  /** 0 revokes the old key at once. */
  readonly graceHours: number;
  /** Who did it, for the audit. */
  readonly actor: string;
}

// The old key never lives longer than it would have; the new one inherits its name and its end. Without a grace time the old
// key makes room for the new one; with one the account may have one key more than the maximum.
const ROTATE_API_KEY: Statement = {
  name: 'rotate-api-key',
  text: `
WITH account AS MATERIALIZED (SELECT lock_account_and_count_keys($2) AS keys),
found AS (
  SELECT id, name, expires_at FROM api_keys
   WHERE id = $1 AND account_id = $2 AND revoked_at IS NULL AND COALESCE(expires_at > now(), true)
   FOR UPDATE),
old AS (SELECT found.* FROM found, account WHERE $6::int = 0 OR keys <= $9::int),
fading AS (
  UPDATE api_keys k
     SET revoked_at = CASE WHEN $6::int = 0 THEN now() END,
         expires_at = CASE WHEN $6::int = 0 THEN k.expires_at
                           ELSE LEAST(k.expires_at, now() + make_interval(hours => $6::int)) END
    FROM old WHERE k.id = old.id),
fresh AS (
  INSERT INTO api_keys (id, account_id, name, prefix, hash, expires_at)
  SELECT $3, $2, name, $4, $5, expires_at FROM old RETURNING id),
audit AS (INSERT INTO audit_entries (id, action, subject, detail) SELECT $7, 'key.rotate', old.id, $8::jsonb FROM old)
SELECT fresh.id FROM found LEFT JOIN fresh ON true`,
};

/** Makes a new key in place of one that works; the old one works on for the grace time. Throws AppError `NOT_FOUND` for a key that does not work any more or is another account's, `BAD_REQUEST` when the account has more active keys than it may. */
export async function rotateApiKey(
  { db }: { readonly db: Pick<Database, 'run'> },
  { accountId, keyId, graceHours, actor }: KeyToRotate,
): Promise<{ readonly id: string; readonly key: string; readonly prefix: string }> {
  const id = newId('key');
  const { key, prefix } = newApiKey();
  const hash = createHash('sha256').update(key).digest();
  const detail = JSON.stringify({ actor, replacedBy: id, prefix, graceHours });
  const audit = [newId('aud'), detail];
  const values = [keyId, accountId, id, prefix, hash, graceHours, ...audit, MAX_ACTIVE_KEYS];
  const [row] = await db.run<{ readonly id: string | null }>(ROTATE_API_KEY, values);
  if (!row) throw new AppError('NOT_FOUND', { publicMessage: 'There is no working API key with this id.' });
  if (row.id === null) throw createTooManyKeysError();
  return { id, key, prefix };
}
