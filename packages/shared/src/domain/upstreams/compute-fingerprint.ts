import { createHash } from 'node:crypto';

const LENGTH = 12;

/** Computes the part of a key that may be stored and logged: the first 12 hexadecimal digits of its SHA-256. */
export function computeFingerprint(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, LENGTH);
}
