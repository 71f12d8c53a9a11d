import { parseDollars } from './parse-dollars.js';

/** Parses an amount of dollars that may carry a sign (`+1.00`, `-1.00`) into micro-dollars; throws RangeError on anything else, zero included. */
export function parseSignedDollars(text: string): bigint {
  const negative = text.startsWith('-');
  const micros = parseDollars(negative || text.startsWith('+') ? text.slice(1) : text);
  return negative ? -micros : micros;
}
