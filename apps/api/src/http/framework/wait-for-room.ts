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
  const closed = new AbortController();
  let release: (() => void) | null = null;
  response.once('close', () => {
    closed.abort();
    release?.();
  });
  if (response.socket === null && !response.destroyed) {
    await new Promise<void>((resolve) => {
      response.once('socket', () => resolve());
      closed.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
  const turn = { key: findState(response.req)?.address ?? '', count: bytes };
  release = response.destroyed ? null : unread.tryAcquire(turn);
  release ??= await unread.acquire({ ...turn, signal: closed.signal }).catch(() => null);
  if (response.destroyed) {
    release?.();
    return false;
  }
  return release !== null;
}
