const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Largest multiple of 62 that fits into a byte: bytes above it would make some characters likelier than others. */
const FAIR_BELOW = 248;

// Random bytes are fetched many at a time: one system call an id would cost more than the id.
const pool = new Uint8Array(4096);
let next = pool.length;

/**
 * Returns `Math.ceil(bits / log2(62))` base-62 characters, each drawn evenly from the platform's secure random source: at least
 * `bits` random bits.
 */
export function randomBase62(bits: number): string {
  const length = Math.ceil(bits / Math.log2(62));
  let text = '';
  while (text.length < length) {
    if (next === pool.length) {
      globalThis.crypto.getRandomValues(pool);
      next = 0;
    }
    const byte = pool[next++] ?? 0;
    if (byte < FAIR_BELOW) {
      text += ALPHABET[byte % 62];
    }
  }
  return text;
}

/** Formats a non-negative integer in base 62 (`0-9A-Za-z`), left-padded with zeros to `width` characters. */
export function base62(value: bigint, width: number): string {
  let rest = value;
  let text = '';
  while (rest > 0n) {
    text = ALPHABET[Number(rest % 62n)] + text;
    rest /= 62n;
  }
  return text.padStart(width, '0');
}

/** Parses what `base62` formats; the text has no other characters. */
export function parseBase62(text: string): bigint {
  return [...text].reduce((value, digit) => value * 62n + BigInt(ALPHABET.indexOf(digit)), 0n);
}
