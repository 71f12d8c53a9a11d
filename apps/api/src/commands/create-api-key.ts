import { createHash } from 'node:crypto';
import type { Database, Statement } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { newApiKey, newId } from '@image-gateway/shared/ids';

/** A new API key. */
export interface NewKey {
  readonly accountId: string;
  /** At most 100 characters, may be empty. */
  readonly name: string;
  /** When it stops working; null: never. */
  readonly expiresAt: Date | null;
  /** Who did it, for the audit. */
  readonly actor: string;
}

/** The key itself, which is not stored and cannot be shown again, and what stands in its row. */
export interface CreatedKey {
  readonly id: string;
  readonly key: string;
  readonly prefix: string;
  readonly createdAt: Date;
}

const CREATE_API_KEY: Statement = {
  name: 'create-api-key',
  text: `
WITH new_key AS (
  INSERT INTO api_keys (id, account_id, name, prefix, hash, expires_at)
  SELECT $1, id, $3, $4, $5, $6 FROM accounts WHERE id = $2
  RETURNING id, created_at),
audit AS (INSERT INTO audit_entries (id, action, subject, detail) SELECT $7, 'key.create', id, $8::jsonb FROM new_key)
SELECT created_at AS "createdAt" FROM new_key`,
};
const MAX_NAME_LENGTH = 100;

/** Creates an API key of an account. Throws AppError `NOT_FOUND` for an unknown account, `VALIDATION_ERROR` for a bad name or a time that is not in the future. */
export async function createApiKey(
  { db }: { readonly db: Database },
  { accountId, name, expiresAt, actor }: NewKey,
): Promise<CreatedKey> {
  if ([...name].length > MAX_NAME_LENGTH)
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: `The name of a key has at most ${MAX_NAME_LENGTH} characters.`,
    });
  if (expiresAt !== null && expiresAt.getTime() <= Date.now())
    throw new AppError('VALIDATION_ERROR', { publicMessage: 'A key must expire in the future.' });
  const id = newId('key');
  const { key, prefix } = newApiKey();
  const hash = createHash('sha256').update(key).digest();
  const detail = { actor, accountId, name, prefix, expiresAt };
  const values = [id, accountId, name, prefix, hash, expiresAt, newId('aud'), JSON.stringify(detail)];
  const [row] = await db.run<{ createdAt: Date }>(CREATE_API_KEY, values);
  if (!row) throw new AppError('NOT_FOUND', { publicMessage: `There is no account ${accountId}.` });
  return { id, key, prefix, createdAt: row.createdAt };
}
