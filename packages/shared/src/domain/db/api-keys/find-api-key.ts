import type { Rate } from '../../../runtime/config/index.js';
import type { KeyScope } from '../../contract/index.js';
import type { Database } from '../create-database.js';
import type { Account, ApiKey } from '../generated/client.js';
import type { Statement } from '../statement.js';

/** An API key that was not revoked, with the state of its account. */
export interface ApiKeyRow
  extends Readonly<Pick<ApiKey, 'id' | 'accountId' | 'expiresAt' | 'joinEqual' | 'capPerKey'>> {
  /** Models that it may use; empty: all. */
  readonly models: readonly string[];
  readonly scopes: readonly KeyScope[];
  /** Networks that it may be used from; empty: all. */
  readonly allowedCidrs: readonly string[];
  readonly accountStatus: 'active' | 'suspended';
  /** Requests that an operator allows this account, all its keys together; null: the general limit. */
  readonly requests: Rate | null;
}

interface FoundKey
  extends Omit<ApiKeyRow, 'expiresAt' | 'requests'>,
    Readonly<Pick<Account, 'maxRequests' | 'requestsSeconds'>> {
  readonly expiresInMs: number | null;
}

const FIND_API_KEY: Statement = {
  name: 'find-api-key',
  text: `
SELECT k.id, k.account_id AS "accountId", (EXTRACT(EPOCH FROM k.expires_at - now()) * 1000)::float8 AS "expiresInMs",
  a.status AS "accountStatus",
       a.max_requests AS "maxRequests", a.requests_seconds AS "requestsSeconds",
       k.models, k.scopes, k.allowed_cidrs AS "allowedCidrs", k.join_equal AS "joinEqual", k.cap_per_key AS "capPerKey"
  FROM api_keys k JOIN accounts a ON a.id = k.account_id
 WHERE k.hash = $1 AND k.revoked_at IS NULL`,
};

/**
 * Finds an API key by the SHA-256 of its text; null for unknown and revoked ones. Expiry is for the caller to check.
 */
export async function findApiKey(db: Pick<Database, 'run'>, hash: Buffer): Promise<ApiKeyRow | null> {
  const [found] = await db.run<FoundKey>(FIND_API_KEY, [hash]);
  if (!found) {
    return null;
  }
  const { expiresInMs, maxRequests, requestsSeconds, ...row } = found;
  return {
    ...row,
    expiresAt: expiresInMs === null ? null : new Date(Date.now() + expiresInMs),
    requests:
      maxRequests === null || requestsSeconds === null
        ? null
        : { limit: maxRequests, windowSeconds: requestsSeconds },
  };
}
