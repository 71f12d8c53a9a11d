/** A rate limit: at most `limit` requests in `windowSeconds`. */
export interface Rate {
  readonly limit: number;
  readonly windowSeconds: number;
}

/** Parses a rate such as `600/60` (requests/seconds); `off` is null; throws an Error that says what is expected. */
export function parseRate(text: string): Rate | null {
  if (text.toLowerCase() === 'off') {
    return null;
  }
  const match = /^(\d{1,9})\/(\d{1,6})$/.exec(text);
  const rate = { limit: Number(match?.[1] ?? 0), windowSeconds: Number(match?.[2] ?? 0) };
  if (rate.limit < 1 || rate.windowSeconds < 1) {
    throw new Error('must be requests/seconds such as 600/60, or off');
  }
  return rate;
}
