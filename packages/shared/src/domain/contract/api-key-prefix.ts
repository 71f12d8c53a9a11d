/** Beginning of every API key. */
export const API_KEY_SCHEME = 'gw_live_';
/** Leading characters of a key that may be stored and shown: the scheme and four of its 32 random characters. */
export const API_KEY_PREFIX_LENGTH = API_KEY_SCHEME.length + 4;

const PREFIX = new RegExp(`^${API_KEY_SCHEME}[0-9A-Za-z]{4}`);

/** Returns the part of a key, or of its beginning, that may be stored and shown; null for a text that begins otherwise. */
export function readKeyPrefix(text: string): string | null {
  return PREFIX.exec(text)?.[0] ?? null;
}
