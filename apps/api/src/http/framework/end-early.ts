import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSemaphore } from '@image-gateway/shared/concurrency';
import { findState } from './request-state.js';
import { createUnknownClients } from './unknown-clients.js';

/** Bounds of reading a body after its request was answered. */
const DRAIN = { bytes: 32 * 1024 * 1024, totalMs: 5_000, idleMs: 2_000 } as const;
/** A body of that size that is nearly there is read, and the connection stays. */
const SMALL = { bytes: 256 * 1024, ms: 100 } as const;

/**
 * Bodies that are dropped at a time in this process. Node copies each byte that it drops, so that thousands at once would take
 * hundreds of megabytes. Others wait in the kernel.
 */
const drops = createSemaphore({ permits: 32, leavesRoom: 1 });
/** Answered requests of known accounts whose bodies are still dropped, or wait for that. */
const answered = createUnknownClients({ perAddress: 256, total: 1_000 });

/** Returns true for a request that has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Returns true while bytes of the body of a request are missing. */
export function isBodyMissing(request: IncomingMessage): boolean {
  return hasBody(request) && !request.complete;
}

/**
 * Ends the response of a request whose body is not there yet. The client reads it at once, whatever it still sends. The rest of
 * the body is dropped for a while. Closing on unread bytes would reset the connection, and the client would lose the answer.
 */
export async function endEarly(response: ServerResponse, payload: string | Buffer): Promise<void> {
  const request = response.req;
  const state = findState(request);
  if (state?.isRefusedAtOnce !== true) {
    const length = Number(request.headers['content-length'] ?? Number.NaN);
    if (
      length <= SMALL.bytes &&
      (await drop(request, { totalMs: SMALL.ms, idleMs: SMALL.ms, bytes: length }))
    ) {
      response.end(payload);
      return;
    }
  }
  response.setHeader('Connection', 'close');
  if (state?.isRefusedAtOnce === true || request.destroyed) {
    response.end(payload);
    return;
  }
  response.write(payload);
  if (state) {
    // It takes the time of its client, not ours.
    state.isHeld = true;
    state.stopCounting?.();
  }
  const stopped = new AbortController();
  const refuse = (): void => stopped.abort();
  const register = state?.caller === undefined ? state?.unknownClients : answered;
  const leave = register?.enter(request, { address: getSender(request), refuse });
  await drop(request, { ...DRAIN, signal: stopped.signal });
  leave?.();
  response.end();
}

/** Names whom a request is from: its account, or its address while that is unknown. */
function getSender(request: IncomingMessage): string {
  const state = findState(request);
  return state?.caller?.accountId ?? state?.address ?? '';
}

interface DropBounds {
  readonly bytes: number;
  readonly totalMs: number;
  readonly idleMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Drops the rest of a body, in turn. Resolves with true at its end, and with false when it takes too long, is too large, or its
 * connection has ended.
 */
async function drop(request: IncomingMessage, bounds: DropBounds): Promise<boolean> {
  const key = getSender(request);
  const begun = performance.now();
  const release = drops.tryAcquire({ key }) ?? (await waitForTurn(request, bounds));
  if (release === null) {
    return false;
  }
  try {
    const leftMs = Math.max(1, bounds.totalMs - (performance.now() - begun));
    return await waitForEnd(request, { ...bounds, totalMs: leftMs });
  } finally {
    release();
  }
}

/**
 * Waits for a turn; null when it does not come in time. Drops what came with the headers, up to 64 KiB, at once; the rest waits
 * in the kernel.
 */
async function waitForTurn(
  request: IncomingMessage,
  { totalMs, signal }: DropBounds,
): Promise<(() => void) | null> {
  const dropWhatCame = setImmediate(() => {
    request.read();
    // Reading makes the connection flow again, in the next tick.
    process.nextTick(() => request.socket.pause());
  });
  const late = new AbortController();
  const giveUp = (): void => late.abort();
  const timer = setTimeout(giveUp, totalMs);
  signal?.addEventListener('abort', giveUp, { once: true });
  try {
    return await drops.acquire({ key: getSender(request), signal: late.signal });
  } catch {
    return null;
  } finally {
    clearImmediate(dropWhatCame);
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
  }
}

function waitForEnd(request: IncomingMessage, bounds: DropBounds): Promise<boolean> {
  return new Promise((resolve) => {
    let bytes = 0;
    const finish = (isThere: boolean): void => {
      clearTimeout(total);
      clearTimeout(idle);
      request.off('data', onData);
      request.off('end', onEnd);
      request.off('close', onClose);
      if (!isThere) {
        // It would flow on, and nobody would count it.
        request.pause();
        request.socket.pause();
      }
      resolve(isThere);
    };
    const onEnd = (): void => finish(true);
    const onClose = (): void => finish(request.complete);
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      idle.refresh();
      if (bytes > bounds.bytes) {
        finish(false);
      }
    };
    const total = setTimeout(() => finish(false), bounds.totalMs);
    const idle = setTimeout(() => finish(false), bounds.idleMs);
    bounds.signal?.addEventListener('abort', () => finish(false), { once: true });
    if (request.complete && request.readableEnded) {
      finish(true);
      return;
    }
    request.on('data', onData);
    request.once('end', onEnd);
    request.once('close', onClose);
    request.resume();
    // The connection of a request that has waited was paused.
    request.socket.resume();
  });
}
