const POSITIVE_DECIMAL = /^(\d{1,12})(?:\.(\d{1,6}))?$/;

/** Parses a positive decimal amount of dollars with at most six places (`5.00`) into micro-dollars; throws RangeError on anything else. */
export function parseDollars(text: string): bigint {
  const match = POSITIVE_DECIMAL.exec(text);
  const micros = match ? BigInt(match[1] ?? '0') * 1_000_000n + BigInt((match[2] ?? '').padEnd(6, '0')) : 0n;
  if (micros <= 0n)
    throw new RangeError(
      `"${text}" is not a positive amount of dollars with at most six decimals, such as 5.00`,
    );
  return micros;
}
