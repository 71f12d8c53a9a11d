import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Limits of slow readers. */
export interface ReaderLimits {
  /** Period over which the rate is measured, in milliseconds. */
  readonly windowMs: number;
  /** Minimum rate while bytes are ready, in bytes a second. */
  readonly minBytesPerSecond: number;
  /** Time between two measurements, in milliseconds. */
  readonly everyMs: number;
}

const LIMITS: ReaderLimits = { windowMs: 30_000, minBytesPerSecond: 10_000, everyMs: 5_000 };

/** Size below which what the kernel holds for a reader does not matter, in bytes. */
const SMALL_BYTES = 64 * 1024;

/** Begin of the period in which a connection always had bytes ready. */
interface Period {
  readonly since: number;
  readonly sent: number;
}

/**
 * Watches the connections of a server: one that had bytes ready for a whole period and took fewer than the minimum is reset.
 * Connections that wait for us, such as event streams, are never measured. A reset, unlike a close, drops the bytes that the
 * kernel still holds for a reader that does not read. Returns the function that ends the watch.
 */
export function resetSlowReaders(server: Server, limits: ReaderLimits = LIMITS): () => void {
  const { windowMs, minBytesPerSecond, everyMs } = limits;
  const sockets = new Map<Socket, Period | null>();
  server.on('connection', (socket) => {
    sockets.set(socket, null);
    socket.once('close', () => sockets.delete(socket));
  });
  // The socket timeout ends an idle connection. The kernel may still hold the rest of a large response.
  server.on('timeout', (socket) => {
    if (socket.bytesWritten > SMALL_BYTES) {
      socket.resetAndDestroy();
    } else {
      socket.destroy();
    }
  });

  const measure = (socket: Socket, period: Period | null, now: number): Period | null => {
    if (socket.writableLength === 0) {
      return null;
    }
    const sent = socket.bytesWritten - socket.writableLength;
    if (period === null) {
      return { since: now, sent };
    }
    const ms = now - period.since;
    if (ms < windowMs) {
      return period;
    }
    if (sent - period.sent >= (minBytesPerSecond * ms) / 1_000) {
      return { since: now, sent };
    }
    socket.resetAndDestroy();
    return null;
  };
  let expected = performance.now() + everyMs;
  const timer = setInterval(() => {
    const now = performance.now();
    // A process that was stopped or busy wrote nothing: that is not the fault of the readers.
    const isLate = now - expected > everyMs;
    expected = now + everyMs;
    for (const [socket, period] of sockets) {
      sockets.set(socket, isLate ? null : measure(socket, period, now));
    }
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
