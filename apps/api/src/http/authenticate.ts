import { hash } from 'node:crypto';
import { type ApiKeyRow, type Database, findApiKey } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { isApiKey } from '@image-gateway/shared/ids';
import { LRUCache } from 'lru-cache';
import type { Caller } from './call.js';

/** What authentication needs. */
export interface AuthenticateDeps {
  readonly db: Pick<Database, 'run'>;
  /** Told of every good key. */
  readonly onUse: (apiKeyId: string) => void;
  readonly now?: () => number;
}

/** How long a good key is believed without asking again: a revoked key and a suspended account are refused within 5 s. */
const BELIEVED_MS = 4_000;

/**
 * Makes the function that turns a token into a caller. Throws AppError `UNAUTHORIZED`, the same for malformed, unknown,
 * revoked and expired keys, and `FORBIDDEN` for a suspended account. Only good keys are remembered.
 */
export function createAuthenticate({ db, onUse, now = Date.now }: AuthenticateDeps) {
  const good = new LRUCache<string, { readonly row: ApiKeyRow; readonly until: number }>({ max: 10_000 });
  const underWay = new Map<string, Promise<ApiKeyRow | null>>();

  const look = async (token: string): Promise<ApiKeyRow | null> => {
    const name = hash('sha256', token, 'base64');
    const known = good.get(name);
    if (known && now() < known.until) return known.row;
    const earlier = underWay.get(name);
    if (earlier) return earlier;
    const until = now() + BELIEVED_MS;
    // A mistyped or invented key costs no look into the database.
    if (!isApiKey(token)) return null;
    const looking = findApiKey(db, Buffer.from(name, 'base64')).finally(() => underWay.delete(name));
    underWay.set(name, looking);
    const row = await looking;
    if (row?.accountStatus === 'active') good.set(name, { row, until });
    else good.delete(name);
    return row;
  };

  return async (token: string): Promise<Caller> => {
    const row = await look(token);
    if (!row || (row.expiresAt && row.expiresAt.getTime() <= now())) throw new AppError('UNAUTHORIZED');
    if (row.accountStatus !== 'active') throw new AppError('FORBIDDEN');
    onUse(row.id);
    const { accountId, id: apiKeyId, requestsPerMinute } = row;
    return { accountId, apiKeyId, ...(requestsPerMinute !== null && { requestsPerMinute }) };
  };
}
