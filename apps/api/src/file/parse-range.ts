/** Requested part of a file: all of it, a range with both ends included, or a range outside of it. */
export type WantedRange = 'all' | 'unsatisfiable' | { readonly start: number; readonly end: number };

/**
 * Parses a `Range` header for a file of so many bytes. Several ranges, other units and invalid values mean all of it, as RFC
 * 9110 allows.
 */
export function parseRange(header: string | undefined, bytes: number): WantedRange {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) {
    return 'all';
  }
  if (first === '') {
    const length = Number(last);
    return length === 0 ? 'unsatisfiable' : { start: Math.max(0, bytes - length), end: bytes - 1 };
  }
  const start = Number(first);
  const end = last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (last !== '' && Number(last) < start) {
    return 'all';
  }
  return start >= bytes ? 'unsatisfiable' : { start, end };
}
