import { setTimeout as sleep } from 'node:timers/promises';
import { StackError } from '../stack-error.js';

const pollMs = 20;
const requestMs = 2_000;

/** Waits until a server answers anything but a fault of its own. */
export async function waitForS3(
  url: string,
  { patienceMs = 30_000, signal }: { patienceMs?: number; signal?: AbortSignal } = {},
): Promise<void> {
  const until = Date.now() + patienceMs;
  for (;;) {
    signal?.throwIfAborted();
    const status = await statusOf(url);
    if (status !== null && status < 500) return;
    if (Date.now() > until) throw new StackError(`The object store at ${url} does not answer`);
    await sleep(pollMs);
  }
}

async function statusOf(url: string): Promise<number | null> {
  try {
    const answer = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(requestMs) });
    return answer.status;
  } catch {
    return null;
  }
}
