import { crc32 } from 'node:zlib';
import { API_KEY_PREFIX_LENGTH, API_KEY_SCHEME } from '../contract/index.js';
import { base62, randomBase62 } from './base62.js';

const FORMAT = /^gw_live_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

/** A new API key and the part of it that may be stored and shown. */
export interface NewApiKey {
  readonly key: string;
  readonly prefix: string;
}

/**
 * Creates an API key: `gw_live_`, 32 random base-62 characters (184 bits) and their base-62 CRC-32. A mistyped or
 * invented key is thus recognised without a database query.
 */
export function newApiKey(): NewApiKey {
  const random = randomBase62(184).padStart(32, '0').slice(-32);
  const key = `${API_KEY_SCHEME}${random}${base62(BigInt(crc32(random)), 6)}`;
  return { key, prefix: key.slice(0, API_KEY_PREFIX_LENGTH) };
}

/** Says whether a text has the form of an API key and the right checksum; it says nothing about the key being known. */
export function isApiKey(text: string): boolean {
  const match = FORMAT.exec(text);
  return match !== null && base62(BigInt(crc32(match[1] ?? '')), 6) === match[2];
}
