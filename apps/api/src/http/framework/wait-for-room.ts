import type { ServerResponse } from 'node:http';
import { createSemaphore } from '@image-gateway/shared/concurrency';
import { HELD_BYTES } from './held-bytes.js';
import { findState } from './request-state.js';

/** Bytes of responses that nobody has read yet. No address holds more than a quarter of them. */
const unread = createSemaphore({ permits: HELD_BYTES, leavesRoom: 3 });

/**
 * Waits until a response may hold its bytes. It is then the next one of its connection, and its address and this process hold few enough
 * unread ones. They are held until it ends. Resolves with false when its connection ends before.
 */
export async function waitForRoom(response: ServerResponse, bytes: number): Promise<boolean> {
  if (response.socket === null && !response.destroyed) {
    await new Promise<void>((resolve) => {
      response.once('socket', () => resolve());
      response.once('close', resolve);
    });
  }
  const turn = { key: findState(response.req)?.address ?? '', count: bytes };
  const release = response.destroyed ? null : (unread.tryAcquire(turn) ?? (await acquire(response, turn)));
  if (response.destroyed) {
    release?.();
    return false;
  }
  if (release !== null) {
    response.once('close', release);
  }
  return release !== null;
}

/** Waits for room in turn, until the connection ends. Most responses do not wait: the end of a signal that nobody hears costs 13 µs. */
async function acquire(
  response: ServerResponse,
  turn: { readonly key: string; readonly count: number },
): Promise<(() => void) | null> {
  const closed = new AbortController();
  const abort = () => closed.abort();
  response.once('close', abort);
  const release = await unread.acquire({ ...turn, signal: closed.signal }).catch(() => null);
  response.off('close', abort);
  return release;
}
