import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pause } from '@image-gateway/shared/lifecycle';

/** How a server is closed; all times in milliseconds. */
export interface CloseOptions {
  /** Connections are still taken, and answered with 503, until none came for so long, */
  readonly quietMs: number;
  /** but no longer than this. */
  readonly lingerMs: number;
}

const POLL_MS = 20;
/** How often a connection without a word is looked at before it is closed: a second. Counted, since a process that was held up has not read what was said meanwhile. */
const MAX_SILENT_POLLS = 50;

/**
 * Prepares the gentle end of a server; the returned function, given the milliseconds that are left, closes it and resolves
 * when its last connection has ended.
 * A port that is closed at once resets the connections that the kernel has accepted and nobody has read yet.
 */
export function gentleClose(
  server: Server,
  { quietMs, lingerMs }: CloseOptions,
): (leftMs?: number) => Promise<void> {
  const silent = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket) => {
    connections++;
    silent.add(socket);
    const forget = (): boolean => silent.delete(socket);
    socket.once('close', forget);
  });
  server.on('request', (request) => silent.delete(request.socket));

  return async (leftMs = Number.POSITIVE_INFINITY) => {
    // Who has little time to end keeps half of it for what is under way.
    const share = leftMs / 2;
    const until = performance.now() + Math.min(lingerMs, share);
    let seen = -1;
    while (seen !== connections && performance.now() < until) {
      seen = connections;
      await pause(Math.min(quietMs, share));
      // A timer that fires late comes before the connections that arrived meanwhile: let those be counted first.
      await nextTurn();
    }
    const closed = new AbortController();
    server.close(() => closed.abort());
    for (let looks = 0; !closed.signal.aborted; looks++) {
      // Busy a moment ago, idle now.
      server.closeIdleConnections();
      // Opened ahead of time, and not a word since.
      if (looks > MAX_SILENT_POLLS) for (const socket of silent) if (socket.bytesRead === 0) socket.destroy();
      await pause(POLL_MS, closed.signal);
    }
  };
}
