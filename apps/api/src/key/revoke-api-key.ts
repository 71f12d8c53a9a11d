import type { ApiKey, Database, Statement } from '@image-gateway/shared/db';
import { notFound } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';

/** API key to revoke. */
export interface KeyToRevoke {
  readonly keyId: string;
  /** Restricts the search to the keys of this account. */
  readonly accountId?: string;
  /** Author of the change, for the audit log. */
  readonly actor: string;
}

const REVOKE_API_KEY: Statement = {
  name: 'revoke-api-key',
  text: `
WITH revoked AS (
  UPDATE api_keys SET revoked_at = now()
   WHERE id = $1 AND account_id = COALESCE($2, account_id) AND revoked_at IS NULL RETURNING id, revoked_at),
audit AS (INSERT INTO audit_entries (id, action, subject, detail) SELECT $3, 'key.revoke', id, $4::jsonb FROM revoked)
SELECT COALESCE((SELECT revoked_at FROM revoked), revoked_at) AS "revokedAt"
  FROM api_keys WHERE id = $1 AND account_id = COALESCE($2, account_id)`,
};

/** Revokes an API key; a repeat keeps the first time. New requests are refused within 5 s. Throws AppError `NOT_FOUND`. */
export async function revokeApiKey(
  { db }: { readonly db: Pick<Database, 'run'> },
  { keyId, accountId, actor }: KeyToRevoke,
): Promise<{ readonly revokedAt: Date }> {
  const values = [keyId, accountId ?? null, newId('aud'), JSON.stringify({ actor })];
  const [row] = await db.run<{ readonly revokedAt: NonNullable<ApiKey['revokedAt']> }>(
    REVOKE_API_KEY,
    values,
  );
  if (!row) {
    throw notFound('API key', keyId);
  }
  return row;
}
