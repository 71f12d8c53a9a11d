import { hash } from 'node:crypto';
import { type ApiKeyRow, type Database, findApiKey } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { isApiKey } from '@image-gateway/shared/ids';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../framework/call.js';
import { isAddressAllowed } from './is-address-allowed.js';

/** Dependencies of authentication. */
export interface AuthenticatorDeps {
  readonly db: Pick<Database, 'run'>;
  /** Called with every valid key. */
  readonly onUse: (apiKeyId: string) => void;
  readonly now?: () => number;
}

/** Authenticates tokens. */
export interface Authenticator {
  /**
   * Throws AppError `UNAUTHORIZED`, the same for malformed, unknown, revoked and expired keys. Throws `FORBIDDEN` for a suspended
   * account, and for an address that the key may not be used from.
   */
  readonly authenticate: (token: string, address: string) => Promise<Caller>;
  /** Returns true for a token with the form of a key whose result is not cached, so that the database must be read. */
  readonly isUnknown: (token: string) => boolean;
}

/** Cache TTL of a valid key: a revoked key and a suspended account are refused within 5 s. */
const VALID_KEY_TTL_MS = 4_000;
/** Cache TTL of a refusal. Keys are random: a new one was never refused before. */
const REFUSAL_TTL_MS = 1_000;
const MAX_CACHED = 10_000;

interface CacheEntry {
  readonly row: ApiKeyRow | null;
  readonly until: number;
}

/** Creates the authenticator. Valid keys and refusals have separate caches, so that invented keys evict no valid one. */
export function createAuthenticator({ db, onUse, now = Date.now }: AuthenticatorDeps): Authenticator {
  const good = new LRUCache<string, CacheEntry>({ max: MAX_CACHED });
  const refused = new LRUCache<string, CacheEntry>({ max: MAX_CACHED });
  const underWay = new Map<string, Promise<ApiKeyRow | null>>();

  const recall = (name: string): CacheEntry | undefined => {
    const known = good.get(name);
    if (known && now() < known.until) {
      return known;
    }
    const refusal = refused.get(name);
    return refusal && now() < refusal.until ? refusal : undefined;
  };
  const look = async (token: string): Promise<ApiKeyRow | null> => {
    const name = hashToken(token);
    const known = recall(name);
    if (known) {
      return known.row;
    }
    // A malformed key costs no statement.
    if (!isApiKey(token)) {
      return null;
    }
    const earlier = underWay.get(name);
    if (earlier) {
      return earlier;
    }
    const begun = now();
    const looking = findApiKey(db, Buffer.from(name, 'base64')).finally(() => underWay.delete(name));
    underWay.set(name, looking);
    const row = await looking;
    if (row?.accountStatus === 'active') {
      refused.delete(name);
      good.set(name, { row, until: begun + VALID_KEY_TTL_MS });
    } else {
      good.delete(name);
      // A suspended account works at once when it is resumed.
      if (!row) {
        refused.set(name, { row, until: begun + REFUSAL_TTL_MS });
      }
    }
    return row;
  };

  return {
    authenticate: async (token, address) => {
      const row = await look(token);
      if (!row || (row.expiresAt && row.expiresAt.getTime() <= now())) {
        throw new AppError('UNAUTHORIZED');
      }
      if (row.accountStatus !== 'active') {
        throw new AppError('FORBIDDEN');
      }
      if (!isAddressAllowed(row.allowedCidrs, address)) {
        throw new AppError('FORBIDDEN', { publicMessage: 'This key may not be used from this address.' });
      }
      onUse(row.id);
      const { accountId, id: apiKeyId, models, scopes, joinEqual, capPerKey, requests } = row;
      return { accountId, apiKeyId, models, scopes, joinEqual, capPerKey, ...(requests && { requests }) };
    },
    isUnknown: (token) => {
      const name = hashToken(token);
      return !good.has(name) && recall(name) === undefined && isApiKey(token);
    },
  };
}

// The lookups of one request follow each other.
let last = { token: '', name: '' };

function hashToken(token: string): string {
  if (token !== last.token) {
    last = { token, name: hash('sha256', token, 'base64') };
  }
  return last.name;
}
