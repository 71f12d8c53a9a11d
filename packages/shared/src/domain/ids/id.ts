import { randomBase62 } from './base62.js';

/**
 * Prefix of an id, by the kind of record (task, API key, account, webhook delivery, test event, ledger transfer, usage
 * record, provider call, user, audit entry, endpoint).
 */
export type IdPrefix =
  | 'gen'
  | 'key'
  | 'acc'
  | 'msg'
  | 'test'
  | 'led'
  | 'use'
  | 'call'
  | 'usr'
  | 'aud'
  | 'chk'
  | 'ept';

/** Returns a new id such as `gen_…`: the prefix and 22 base-62 characters that carry 128 random bits. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${randomBase62(128)}`;
}

/** Maximum length of an id; a longer text names nothing, so that no id of a caller can fill a cache or a log. */
const MAX_ID_LENGTH = 68;

/** Returns the pattern of an id, for JSON Schema too: the prefix and at least 22 characters of `0-9A-Za-z`. */
export function idPattern(prefix: IdPrefix): string {
  return `^${prefix}_[0-9A-Za-z]{22,}$`;
}

/** Returns true if a text has the form of an id; it says nothing about the id being known. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.length <= MAX_ID_LENGTH && new RegExp(idPattern(prefix)).test(text);
}

/** Says whether a text can be an id of any kind, such as one from a path. No other text needs to reach the database. */
export function isAnyId(text: string): boolean {
  return text.length <= MAX_ID_LENGTH && /^[0-9A-Za-z_-]+$/.test(text);
}
