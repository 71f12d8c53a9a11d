import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { hasBody } from './framework/end-early.js';
import { getUpload } from './framework/request-state.js';

/** Limits of request bodies. */
export interface BodyLimits {
  /** Time within which a body arrives, and the period over which the rate of an upload is measured, in milliseconds. */
  readonly periodMs: number;
  /** Least rate of an upload, in bytes a second. */
  readonly minBytesPerSecond: number;
}

/** Bodies up to that size come with their headers from most clients. */
const SMALL_BYTES = 16 * 1024;

const LIMITS: BodyLimits = { periodMs: 15_000, minBytesPerSecond: 5_000 };

/**
 * Creates the watch of requests that begin. It ends those whose body does not arrive in time. An upload has as much time as it
 * needs while it brings the least rate. The setting of Node for this holds for all requests of a server alike.
 */
export function limitBodies(
  refuse: (socket: Socket) => void,
  { periodMs, minBytesPerSecond }: BodyLimits = LIMITS,
): RequestListener {
  const watch = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    let seen = socket.bytesRead;
    const isInTime = (): boolean => {
      const bytes = socket.bytesRead - seen;
      seen = socket.bytesRead;
      const upload = getUpload(request);
      if (!upload || response.writableEnded) {
        return false;
      }
      return upload.isPaused || bytes >= (minBytesPerSecond * periodMs) / 1_000;
    };
    const timer = setInterval(() => {
      if (request.complete || socket.destroyed) {
        clearInterval(timer);
      } else if (!isInTime()) {
        clearInterval(timer);
        if (response.headersSent) {
          socket.destroy();
        } else {
          refuse(socket);
        }
      }
    }, periodMs);
    const stop = (): void => {
      clearInterval(timer);
      socket.off('close', stop);
    };
    request.once('end', stop);
    // A request that was answered before its end is not told that its connection is gone.
    socket.once('close', stop);
  };
  let young: (readonly [IncomingMessage, ServerResponse])[] = [];
  /** Watches those whose body is not there yet. Nearly all small ones come with their headers. */
  const watchYoung = (): void => {
    const pairs = young;
    young = [];
    for (const [request, response] of pairs) {
      if (!request.complete && !request.socket.destroyed) {
        watch(request, response);
      }
    }
  };
  return (request, response) => {
    if (!hasBody(request)) {
      return;
    }
    if (!isSmall(request)) {
      // Its reader lets it go on. Until then no more of it is in memory than came with the headers.
      request.socket.pause();
      watch(request, response);
      return;
    }
    if (young.length === 0) {
      setImmediate(watchYoung);
    }
    young.push([request, response]);
  };
}

/** Returns true for a request without a body, or with one that nearly always comes with its headers. */
export function isSmall(request: IncomingMessage): boolean {
  return !hasBody(request) || Number(request.headers['content-length'] ?? Number.NaN) <= SMALL_BYTES;
}
