import { crc32 } from 'node:zlib';
import { base62, randomBase62 } from './base62.js';

const SCHEME = 'gw_live_';
const FORMAT = /^gw_live_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;
/** How many leading characters of a key may be stored and shown: the scheme and four of its 32 random characters. */
const PREFIX_LENGTH = SCHEME.length + 4;

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
  const key = `${SCHEME}${random}${base62(BigInt(crc32(random)), 6)}`;
  return { key, prefix: key.slice(0, PREFIX_LENGTH) };
}

/** Says whether a text has the form of an API key and the right checksum; it says nothing about the key being known. */
export function isApiKey(text: string): boolean {
  const match = FORMAT.exec(text);
  return match !== null && base62(BigInt(crc32(match[1] ?? '')), 6) === match[2];
}
