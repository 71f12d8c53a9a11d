import { connect, type Socket } from 'node:net';
import { createHistogram, type Histogram } from 'node:perf_hooks';
import { readAnswer } from './read-answer.js';

/** A load: requests as they go over the wire, repeated in turn over connections that stay open. */
export interface LoadPlan {
  readonly host: string;
  /** Connections go to them in turn. */
  readonly ports: readonly number[];
  readonly connections: number;
  /** Whole requests, Base64. */
  readonly requests: readonly string[];
  readonly seconds: number;
  /** Requests a second however long answers take; absent: each connection asks again as soon as it was answered. */
  readonly perSecond?: number;
}

/** Result of a load. Latencies in milliseconds; with a rate, from the moment at which the request was due. */
export interface LoadResult {
  readonly seconds: number;
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
  readonly broken: number;
}

interface Line {
  readonly socket: Socket;
  /** When the request was due whose answer is awaited, in milliseconds; 0: none is. */
  dueAt: number;
  /** Start of an answer whose head is not whole yet. */
  rest: Buffer | null;
  /** Answer whose body is under way, and how many bytes of it are missing. */
  answer: { readonly status: number; missing: number } | null;
}

const TICK_MS = 2;
const DRAIN_MS = 5_000;
const READ_BYTES = 64 * 1024;

/** Puts a load on a server and measures it; written on bare sockets, so that the generator takes little of the machine. */
export async function httpLoad(plan: LoadPlan): Promise<LoadResult> {
  const requests = plan.requests.map((text) => Buffer.from(text, 'base64'));
  const statuses: Record<string, number> = {};
  const histogram: Histogram = createHistogram();
  const free: Line[] = [];
  const due: number[] = [];
  let sent = 0;
  let open = 0;
  let broken = 0;
  let ended = false;

  const send = (line: Line, dueAt: number): void => {
    line.dueAt = dueAt;
    open++;
    line.socket.write(requests[sent++ % requests.length] as Buffer);
  };
  const next = (line: Line): void => {
    if (ended) {
      return;
    }
    const dueAt = plan.perSecond === undefined ? performance.now() : due.shift();
    if (dueAt === undefined) {
      free.push(line);
    } else {
      send(line, dueAt);
    }
  };
  const onData = (line: Line, chunk: Buffer): void => {
    if (line.answer === null) {
      const bytes = line.rest ? Buffer.concat([line.rest, chunk]) : chunk;
      line.answer = readAnswer(bytes);
      line.rest = line.answer === null ? Buffer.from(bytes) : null;
    } else {
      line.answer.missing -= chunk.length;
    }
    if (line.answer === null || line.answer.missing > 0) {
      return;
    }
    const { status } = line.answer;
    line.answer = null;
    open--;
    statuses[status] = (statuses[status] ?? 0) + 1;
    recordable(histogram).record(Math.max(1, Math.round((performance.now() - line.dueAt) * 1000)));
    next(line);
  };
  // Each read is handled before the next one: all connections share its memory. Node would take 64 KiB for each read.
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  const openLine = (port: number): Promise<Line> =>
    new Promise((resolve, reject) => {
      const socket = connect({
        host: plan.host,
        port,
        noDelay: true,
        onread: {
          buffer,
          callback: (bytes) => {
            onData(line, buffer.subarray(0, bytes));
            return true;
          },
        },
      });
      const line: Line = { socket, dueAt: 0, rest: null, answer: null };
      socket.once('error', reject);
      socket.once('connect', () => resolve(line));
      socket.on('close', () => {
        if (!ended) {
          broken++;
        }
      });
    });

  const lines = await Promise.all(
    Array.from({ length: plan.connections }, (_, i) => openLine(plan.ports[i % plan.ports.length] ?? 0)),
  );
  const startedAt = performance.now();
  const endsAt = startedAt + plan.seconds * 1000;
  const rate = plan.perSecond;
  if (rate === undefined) {
    for (const line of lines) {
      next(line);
    }
  } else {
    free.push(...lines);
  }
  let planned = 0;
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now();
      if (now >= endsAt) {
        clearInterval(timer);
        resolve();
        return;
      }
      if (rate === undefined) {
        return;
      }
      for (const wanted = ((now - startedAt) * rate) / 1000; planned < wanted; planned++) {
        due.push(startedAt + (planned * 1000) / rate);
        const line = free.shift();
        if (line) {
          next(line);
        }
      }
    }, TICK_MS);
  });
  const seconds = (performance.now() - startedAt) / 1000;
  const counted = { ...statuses };
  ended = true;
  for (const until = performance.now() + DRAIN_MS; open > 0 && performance.now() < until; ) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  for (const { socket } of lines) {
    socket.destroy();
  }
  const ms = (percentile: number): number => histogram.percentile(percentile) / 1000;
  const latency = { p50: ms(50), p95: ms(95), p99: ms(99), max: histogram.max / 1000 };
  return { seconds, statuses: counted, ...latency, broken };
}

function recordable(histogram: Histogram): { record(value: number): void } {
  return histogram as Histogram & { record(value: number): void };
}
