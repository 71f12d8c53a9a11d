import { readKeyFile } from './key-file.js';
import type { UpstreamDescription } from './protocol.js';
import { UPSTREAMS, type UpstreamName } from './upstreams.js';

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
const MAX_CHARACTERS = 8_192;

/**
 * Returns why a key can't be one of its provider, such as "is longer than 8 KiB"; null for one that may be tried. Never
 * contains the key.
 */
export function findKeyFault(protocol: UpstreamName, key: string): string | null {
  if (key.length > MAX_CHARACTERS) {
    return 'is longer than 8 KiB';
  }
  const { findOwnKeyFault }: UpstreamDescription = UPSTREAMS[protocol];
  if (findOwnKeyFault !== undefined) {
    return findOwnKeyFault(key);
  }
  if (readKeyFile(key) !== null) {
    return `is a key file or a part of one, which the protocol ${protocol} does not take`;
  }
  return VISIBLE_ASCII.test(key)
    ? null
    : 'has characters that no header carries: a key is visible ASCII without spaces and line ends';
}
