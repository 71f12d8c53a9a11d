import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 50;
const REQUEST_TIMEOUT_MS = 2_000;

/** Returns the response, without its body; null when there is none. */
async function fetchHead(url: string, signal: AbortSignal): Promise<Response | null> {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    return response;
  } catch {
    return null;
  }
}

/**
 * Requests a URL until its response is wanted, by default a success; false when it was not within `timeoutMs`. A server that may still
 * move to another port is asked at the URL that it has at the moment.
 */
export async function waitForHttp(
  url: string | (() => string),
  timeoutMs: number,
  signal: AbortSignal,
  isWanted = (response: Response): boolean => response.ok,
): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  while (performance.now() < until) {
    signal.throwIfAborted();
    const response = await fetchHead(typeof url === 'string' ? url : url(), signal);
    if (response !== null && isWanted(response)) {
      return true;
    }
    await sleep(POLL_MS);
  }
  return false;
}
