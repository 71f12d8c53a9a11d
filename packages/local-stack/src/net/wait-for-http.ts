import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 50;

/** Asks a URL until it answers with a success; false when it has not within `timeoutMs`. */
export async function waitForHttp(url: string, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  while (performance.now() < until) {
    signal.throwIfAborted();
    try {
      const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(2_000)]) });
      await response.body?.cancel();
      if (response.ok) return true;
    } catch {
      // Not there yet.
    }
    await sleep(pollMs);
  }
  return false;
}
