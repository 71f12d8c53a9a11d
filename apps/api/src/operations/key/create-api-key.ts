import { createHash } from 'node:crypto';
import type { ApiKey, Database, Statement } from '@image-gateway/shared/db';
import { AppError, notFound } from '@image-gateway/shared/errors';
import { newApiKey, newId } from '@image-gateway/shared/ids';
import { checkKeyLimits, describeKeyLimits, type KeyLimits, toLimitColumns } from './key-limits.js';
import { createTooManyKeysError, MAX_ACTIVE_KEYS } from './max-active-keys.js';

/** A new API key. */
export interface NewKey {
  readonly accountId: string;
  /** At most 100 characters, may be empty. */
  readonly name: string;
  /** Time after which the key is refused; null: never. */
  readonly expiresAt: Date | null;
  readonly limits?: KeyLimits;
  /** Author of the change, for the audit log. */
  readonly actor: string;
}

/** Created key; `key` is not stored and cannot be shown again. */
export interface CreatedKey extends Readonly<Pick<ApiKey, 'id' | 'prefix' | 'createdAt'>> {
  readonly key: string;
}

const CREATE_API_KEY: Statement = {
  name: 'create-api-key',
  text: `
WITH account AS MATERIALIZED (SELECT lock_account_and_count_keys($2) AS keys),
new_key AS (
  INSERT INTO api_keys (id, account_id, name, prefix, hash, expires_at, models, scopes, allowed_cidrs, cap_day_micros, cap_month_micros, cap_total_micros,
                        cap_per_key, cap_per_micros, join_equal)
  SELECT $1, $2, $3, $4, $5, $6, COALESCE(l.models, '{}'), COALESCE(l.scopes, '{generate,read}'), COALESCE(l.allowed_cidrs, '{}'),
         l.cap_day_micros, l.cap_month_micros, l.cap_total_micros, l.cap_per_key, l.cap_per_micros, COALESCE(l.join_equal, false)
    FROM account, jsonb_to_record($10::jsonb)
      AS l(models text[], scopes text[], allowed_cidrs text[], cap_day_micros int8, cap_month_micros int8, cap_total_micros int8,
           cap_per_key text, cap_per_micros int8, join_equal bool)
   WHERE keys < $9::int
  RETURNING id, created_at),
audit AS (INSERT INTO audit_entries (id, action, subject, detail) SELECT $7, 'key.create', id, $8::jsonb FROM new_key)
SELECT account.keys, new_key.created_at AS "createdAt" FROM account LEFT JOIN new_key ON true`,
};
const MAX_NAME_LENGTH = 100;

interface CreatedRow {
  /** Active keys of the account before this one; null for an unknown account. */
  readonly keys: number | null;
  /** Null when the account has the maximum of active keys. */
  readonly createdAt: ApiKey['createdAt'] | null;
}

/**
 * Creates an API key of an account. Throws AppError `NOT_FOUND`, `BAD_REQUEST` at the maximum of
 * active keys, and `VALIDATION_ERROR` for a bad name, bad limits or an expiry in the past.
 */
export async function createApiKey(
  { db }: { readonly db: Pick<Database, 'run'> },
  { accountId, name, expiresAt, limits = {}, actor }: NewKey,
): Promise<CreatedKey> {
  if ([...name].length > MAX_NAME_LENGTH) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: `The name of a key has at most ${MAX_NAME_LENGTH} characters.`,
    });
  }
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
    throw new AppError('VALIDATION_ERROR', { publicMessage: 'A key must expire in the future.' });
  }
  checkKeyLimits(limits);
  const id = newId('key');
  const { key, prefix } = newApiKey();
  const hash = createHash('sha256').update(key).digest();
  const detail = { actor, accountId, name, prefix, expiresAt, ...describeKeyLimits(limits) };
  const audit = [newId('aud'), JSON.stringify(detail)];
  const values = [
    id,
    accountId,
    name,
    prefix,
    hash,
    expiresAt,
    ...audit,
    MAX_ACTIVE_KEYS,
    toLimitColumns(limits),
  ];
  const [row] = await db.run<CreatedRow>(CREATE_API_KEY, values);
  if (!row || row.keys === null) {
    throw notFound('account', accountId);
  }
  if (row.createdAt === null) {
    throw createTooManyKeysError();
  }
  return { id, key, prefix, createdAt: row.createdAt };
}
