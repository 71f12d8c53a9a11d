import { computeFingerprint } from './compute-fingerprint.js';

/** Name of a key of a provider, which tells nobody the key. */
export interface KeyName {
  readonly fingerprint: string;
  /** Last letters; empty for a key that they would give away, and for a key file. */
  readonly lastFour: string;
}

const SHOWN = 4;
/** The end of a shorter key would tell too much of it. */
const MIN_LENGTH = 12;

/** Returns what may be told of a key. */
export function nameKey(secret: string): KeyName {
  const isShown = secret.length >= MIN_LENGTH && !secret.startsWith('{');
  return { fingerprint: computeFingerprint(secret), lastFour: isShown ? secret.slice(-SHOWN) : '' };
}

/** Describes a key by its last letters, else by its fingerprint. */
export function describeKey({ fingerprint, lastFour }: KeyName): string {
  return lastFour === '' ? `key ${fingerprint}` : `key …${lastFour}`;
}

/** Returns the last letters of keys that are kept together. */
export function listLastFours(secrets: readonly string[]): string {
  return secrets
    .map((secret) => nameKey(secret).lastFour)
    .filter((lastFour) => lastFour !== '')
    .join(', ');
}
