import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 50;
const requestMs = 2_000;

async function answers(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(requestMs)]) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** Asks a URL until it answers with a success; false when it has not within `timeoutMs`. */
export async function waitForHttp(url: string, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  while (performance.now() < until) {
    signal.throwIfAborted();
    if (await answers(url, signal)) return true;
    await sleep(pollMs);
  }
  return false;
}
