import { base62 } from './base62.js';

/** Makes `Math.ceil(bits / log2(62))` base-62 characters from `bits` (a multiple of 8) bits of the platform's secure random source. */
export function randomBase62(bits: number): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(bits / 8));
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return base62(value, Math.ceil(bits / Math.log2(62)));
}
