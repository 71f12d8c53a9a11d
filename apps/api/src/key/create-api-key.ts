import { createHash } from 'node:crypto';
import type { KeyLimitsBody } from '@image-gateway/shared/contract';
import type { ApiKey, Database, Statement } from '@image-gateway/shared/db';
import { AppError, notFound } from '@image-gateway/shared/errors';
import { newApiKey, newId } from '@image-gateway/shared/ids';
import type { createKeyBody } from '@image-gateway/shared/key/schema';
import type { Infer } from '@image-gateway/shared/schema';
import { keyLimits } from './create-limits.js';
import { createTooManyKeysError, MAX_ACTIVE_KEYS } from './max-active-keys.js';

/** A new API key. */
export interface NewKey {
  readonly accountId: string;
  /** At most 100 characters, may be empty. */
  readonly name: string;
  /** Time after which the key is refused; null: never. */
  readonly expiresAt: Date | null;
  readonly limits?: KeyLimitsBody;
  /** Author of the change, for the audit log. */
  readonly actor: string;
}

/** Created key; `key` is not stored and cannot be shown again. */
export interface CreatedKey extends Readonly<Pick<ApiKey, 'id' | 'prefix' | 'createdAt'>> {
  readonly key: string;
}

type KeyForm = Infer<typeof createKeyBody>;

const CREATE_API_KEY: Statement = {
  name: 'create-api-key',
  text: `
WITH account AS MATERIALIZED (SELECT lock_account_and_count_keys($2) AS keys),
new_key AS (
  INSERT INTO api_keys (id, account_id, name, prefix, hash, expires_at, ${keyLimits.columns})
  SELECT $1, $2, $3, $4, $5, $6, ${keyLimits.columns} FROM account, jsonb_populate_record(NULL::api_keys, $10::jsonb) WHERE keys < $9::int
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
  const { detail: given } = keyLimits.parse(limits);
  const id = newId('key');
  const { key, prefix } = newApiKey();
  const hash = createHash('sha256').update(key).digest();
  const detail = { actor, accountId, name, prefix, expiresAt, ...given };
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
    JSON.stringify(keyLimits.parse({ ...keyLimits.none, ...limits }).row),
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

/** Creates an API key as the form of the pages asks for it. Throws as `createApiKey` does. */
export async function createKeyOfForm(
  deps: { readonly db: Pick<Database, 'run'> },
  { input, ...whose }: Pick<NewKey, 'accountId' | 'actor'> & { readonly input: KeyForm },
): Promise<Pick<CreatedKey, 'id' | 'prefix' | 'key'>> {
  const { name, expires_at: expiresAt, limits } = input;
  const { id, prefix, key } = await createApiKey(deps, { ...whose, name: name.trim(), expiresAt, limits });
  return { id, prefix, key };
}
