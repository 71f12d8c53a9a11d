import { type ApiKey, type Database, listKeySpend, type Statement } from '@image-gateway/shared/db';
import type { KeyItem } from '@image-gateway/shared/key/schema';
import { keyLimits, type LimitsRow } from './create-limits.js';
import { presentKeyLimits } from './present-key-limits.js';

/** Keys to list. */
export interface KeyList {
  readonly accountId: string;
  /** `newest`: by time alone; `revoked-last`: working keys before revoked ones, each newest first. */
  readonly order: 'newest' | 'revoked-last';
  /** Maximum number of keys; without it all of them. */
  readonly limit?: number;
}

type Row = Readonly<
  Pick<ApiKey, 'id' | 'name' | 'prefix' | 'createdAt' | 'lastUsedAt' | 'expiresAt' | 'revokedAt' | 'family'>
> &
  LimitsRow;

const LIST_API_KEYS: Statement = {
  name: 'list-api-keys',
  text: `
SELECT id, name, prefix, created_at AS "createdAt", last_used_at AS "lastUsedAt", expires_at AS "expiresAt",
  revoked_at AS "revokedAt", family,
       ${keyLimits.columns}
  FROM api_keys WHERE account_id = $1
 ORDER BY CASE WHEN $2 = 'revoked-last' THEN revoked_at END DESC NULLS FIRST, created_at DESC, id DESC LIMIT $3::int`,
};

/** Lists the API keys of an account; only the prefix of a key is known. */
export async function listApiKeys(
  db: Pick<Database, 'run'>,
  { accountId, order, limit }: KeyList,
): Promise<KeyItem[]> {
  const keys = await db.run<Row>(LIST_API_KEYS, [accountId, order, limit ?? null]);
  const spends = await listKeySpend(
    db,
    keys.map(({ id }) => id),
  );
  const findSuccessor = ({ family, createdAt }: Row): string | null => {
    const later = keys.filter((one) => family !== null && one.family === family && one.createdAt > createdAt);
    return later.sort((a, b) => Number(a.createdAt) - Number(b.createdAt))[0]?.id ?? null;
  };
  return keys.map((key) => ({
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    replaced_by: findSuccessor(key),
    ...presentKeyLimits(key, spends.get(key.id) ?? null),
  }));
}
