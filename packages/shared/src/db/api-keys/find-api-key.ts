import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

/** An API key that was not revoked, with the state of its account. */
export interface ApiKeyRow {
  readonly id: string;
  readonly accountId: string;
  readonly expiresAt: Date | null;
  readonly accountStatus: 'active' | 'suspended';
  /** What an operator allows the keys of this account; null: what everybody may have. */
  readonly requestsPerMinute: number | null;
}

const FIND_API_KEY: Statement = {
  name: 'find-api-key',
  text: `
SELECT k.id, k.account_id AS "accountId", k.expires_at AS "expiresAt", a.status AS "accountStatus",
       a.key_requests_per_minute AS "requestsPerMinute"
  FROM api_keys k JOIN accounts a ON a.id = k.account_id
 WHERE k.hash = $1 AND k.revoked_at IS NULL`,
};

/** Finds an API key by the SHA-256 of its text; unknown and revoked ones are null alike. Whether it has expired is for the caller to see. */
export async function findApiKey(db: Pick<Database, 'run'>, hash: Buffer): Promise<ApiKeyRow | null> {
  const [row] = await db.run<ApiKeyRow>(FIND_API_KEY, [hash]);
  return row ?? null;
}
