import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 50;
const REQUEST_TIMEOUT_MS = 2_000;

/** Returns the status of the response; null when there is none. */
async function fetchStatus(url: string, signal: AbortSignal): Promise<number | null> {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    return response.status;
  } catch {
    return null;
  }
}

/** Requests a URL until the status of its response is wanted, by default a success; false when it was not within `timeoutMs`. */
export async function waitForHttp(
  url: string,
  timeoutMs: number,
  signal: AbortSignal,
  isWanted = (status: number): boolean => status >= 200 && status < 300,
): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  while (performance.now() < until) {
    signal.throwIfAborted();
    const status = await fetchStatus(url, signal);
    if (status !== null && isWanted(status)) {
      return true;
    }
    await sleep(POLL_MS);
  }
  return false;
}
