import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { explainListenError, pause, type Shutdown } from '@image-gateway/shared/lifecycle';

const QUIET_MS = 250;
const LINGER_MS = 2_000;

/** Starts to listen, returns the port, and registers the end: requests in progress may finish. */
export async function listen(
  server: Server,
  options: { readonly host: string; readonly port: number; readonly shutdown: Shutdown },
): Promise<number> {
  const close = prepareClose(server, { quietMs: QUIET_MS, lingerMs: LINGER_MS });
  await new Promise<void>((resolve, reject) => {
    const refuse = (error: Error): void => reject(explainListenError(error, { ...options, setting: 'PORT' }));
    server.once('error', refuse);
    server.listen(options.port, options.host, 1024, () => {
      server.off('error', refuse);
      resolve();
    });
  });
  options.shutdown.register('intake', 'http server', close);
  // Requests that outlive the grace time must not keep the process.
  options.shutdown.register('connections', 'http connections', () => server.closeAllConnections());
  return (server.address() as AddressInfo).port;
}

/** Times of closing a server, in milliseconds. */
interface CloseOptions {
  /** Time without a new connection after which the server stops accepting; until then it responds 503. */
  readonly quietMs: number;
  /** Longest time for which the server waits for new connections. */
  readonly lingerMs: number;
}

const POLL_MS = 20;
/** Polls after which a connection without a byte is closed: one second. Counted, since a process that was paused has not read its input. */
const MAX_SILENT_POLLS = 50;

/**
 * Prepares the graceful end of a server. The returned function takes the remaining milliseconds, closes the server and resolves
 * when its last connection has ended.
 * Closing a port at once would reset connections that the kernel has accepted and the process has not read yet.
 */
function prepareClose(
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
    // Half of a short grace time is kept for requests in progress.
    const share = leftMs / 2;
    const startedAt = performance.now();
    const until = startedAt + Math.min(lingerMs, share);
    let seen = -1;
    while (seen !== connections && performance.now() < until) {
      seen = connections;
      await pause(Math.min(quietMs, share));
      // A timer that fires late comes before the connections that arrived meanwhile: let those be counted first.
      await nextTurn();
    }
    // The event loop accepts one connection per turn: on a busy machine those that have arrived by now take longer than the linger time.
    const shareUntil = startedAt + share;
    for (let accepted = -1; accepted !== connections && performance.now() < shareUntil; ) {
      accepted = connections;
      await nextTurn();
    }
    const closed = new AbortController();
    server.close(() => closed.abort());
    for (let looks = 0; !closed.signal.aborted; looks++) {
      // Busy a moment ago, idle now.
      server.closeIdleConnections();
      // Opened in advance, without a byte since.
      if (looks > MAX_SILENT_POLLS) {
        for (const socket of silent) {
          if (socket.bytesRead === 0) {
            socket.destroy();
          }
        }
      }
      await pause(POLL_MS, closed.signal);
    }
  };
}
