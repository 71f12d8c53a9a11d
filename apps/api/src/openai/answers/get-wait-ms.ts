/** Properties of the path between client and gateway; times in milliseconds. */
export interface WaitTerms {
  /** FACADE_MAX_WAIT. */
  readonly maxMs: number;
  readonly header: (name: string) => readonly string[];
  /** Time since the request began. */
  readonly elapsedMs: number;
}

/** Cloudflare ends a request without a response after 100 s. */
const CLOUDFLARE_MS = 90_000;
/** Time that a response needs on its way before the client gives up. */
const MARGIN_MS = 5_000;
const MIN_MS = 1_000;

/** Returns how long a request may wait, so that the wait ends before the path breaks. */
export function getWaitMs({ maxMs, header, elapsedMs }: WaitTerms): number {
  const limits = [maxMs];
  if (header('cf-ray').length > 0) {
    limits.push(CLOUDFLARE_MS);
  }
  // Seconds after which an SDK of OpenAI gives up, counted from when it began to send.
  const [timeout = ''] = header('x-stainless-timeout');
  if (/^\d{1,7}(\.\d+)?$/.test(timeout)) {
    limits.push(Math.max(MIN_MS, Number(timeout) * 1_000 - MARGIN_MS - elapsedMs));
  }
  return Math.min(...limits);
}
