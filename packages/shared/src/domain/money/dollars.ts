const MICROS_PER_DOLLAR = 1_000_000n;
const POSITIVE_DECIMAL = /^(\d{1,12})(?:\.(\d{1,6}))?$/;

/** Formats whole micro-dollars as the API's dollar string: `$0.00` for zero, otherwise four to six decimals (`$0.0100`). */
export function formatDollars(micros: bigint): string {
  if (micros === 0n) {
    return '$0.00';
  }
  const absolute = micros < 0n ? -micros : micros;
  const whole = absolute / MICROS_PER_DOLLAR;
  const decimals = (absolute % MICROS_PER_DOLLAR)
    .toString()
    .padStart(6, '0')
    .replace(/0{1,2}$/, '');
  return `${micros < 0n ? '-' : ''}$${whole}.${decimals}`;
}

/** Parses a positive decimal amount of dollars with at most six places (`5.00`) into micro-dollars; throws RangeError on anything else. */
export function parseDollars(text: string): bigint {
  const match = POSITIVE_DECIMAL.exec(text);
  const micros = match
    ? BigInt(match[1] ?? '0') * MICROS_PER_DOLLAR + BigInt((match[2] ?? '').padEnd(6, '0'))
    : 0n;
  if (micros <= 0n) {
    throw new RangeError(
      `"${text}" is not a positive amount of dollars with at most six decimals, such as 5.00`,
    );
  }
  return micros;
}

/**
 * Parses an amount of dollars with at most six places, which may be zero (`0`, `0.00`), into micro-dollars; throws RangeError
 * on anything else.
 */
export function parseDollarsOrZero(text: string): bigint {
  return /^0{1,12}(\.0{1,6})?$/.test(text) ? 0n : parseDollars(text);
}

/**
 * Parses an amount of dollars that may carry a sign (`+1.00`, `-1.00`) into micro-dollars; throws RangeError on anything else,
 * zero included.
 */
export function parseSignedDollars(text: string): bigint {
  const negative = text.startsWith('-');
  const micros = parseDollars(negative || text.startsWith('+') ? text.slice(1) : text);
  return negative ? -micros : micros;
}
