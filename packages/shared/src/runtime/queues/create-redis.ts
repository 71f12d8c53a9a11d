import { Redis, type RedisOptions } from 'ioredis';
import { parseSentinelUrl, type SentinelGroup } from '../config/index.js';
import type { Logger } from '../logging/index.js';

/** How a Redis connection behaves when Redis does not answer: `fail-fast` gives up at once, `patient` waits for it to come back. */
export type RedisMode = 'fail-fast' | 'patient';

/** How a Redis connection is made. */
export interface RedisConnectionOptions {
  /** Of one server, or `redis+sentinel://` with the addresses of Sentinels. */
  readonly url: string;
  readonly mode: RedisMode;
  /** Shown in `CLIENT LIST` and in the log. */
  readonly name: string;
  readonly logger: Logger;
  /** How long one command may take on a fail-fast connection, in milliseconds; 1500 unless given. */
  readonly commandTimeoutMs?: number;
}

const COMMAND_TIMEOUT_MS = 1_500;
const MAX_RECONNECT_DELAY_MS = 1_000;

// A frozen Redis accepts connections and bytes. Without a timeout on the silence, commands that already timed out would
// pile up in the socket's buffer. With it the connection is dropped, and later commands fail at once.
const FAIL_FAST_SILENCE_MS = 5_000;
// Longer than any blocking read (10 s at most), so that only a dead connection is ever cut.
const PATIENT_SILENCE_MS = 30_000;

/** Opens a connection that reconnects for ever, with at most one line of log a second about its errors. The caller disconnects it. */
export function createRedis({ url, mode, name, logger, commandTimeoutMs }: RedisConnectionOptions): Redis {
  const options = {
    connectionName: name,
    keepAlive: 10_000,
    // The library would ignore that a subscription failed, and end the process as an unhandled rejection.
    autoResubscribe: false,
    retryStrategy,
    // After a failover the old primary still answers, but refuses writes. Of a script, Redis 6.2 says so in the middle of the message.
    reconnectOnError: (error: Error) => error.message.includes('READONLY '),
    ...(mode === 'patient' ? patient : failFast(commandTimeoutMs ?? COMMAND_TIMEOUT_MS)),
  } satisfies RedisOptions;
  const group = parseSentinelUrl(url);
  const redis =
    group === null ? new Redis(url, options) : new Redis({ ...options, ...toSentinelOptions(group) });
  const report = throttle(1_000, (error: Error, heldBack) =>
    logger.warn('redis connection trouble', { connection: name, error: describe(error), heldBack }),
  );
  redis.on('error', report);
  return redis;
}

/** Time in milliseconds until the next attempt to connect. */
const retryStrategy = (attempt: number): number =>
  Math.min(50 * 2 ** (attempt - 1), MAX_RECONNECT_DELAY_MS) + Math.random() * 100;

/**
 * How Sentinels are asked for the primary: each in turn, again and again, and never for long. The library's failover detector stays
 * off: a message that comes while a connection is being made ends that connection for good. A dead primary is noticed without it.
 */
const SENTINEL = {
  sentinelRetryStrategy: retryStrategy,
  sentinelCommandTimeout: 2_000,
} satisfies RedisOptions;

function toSentinelOptions({ isEncrypted, sentinels, ...group }: SentinelGroup) {
  const tls = isEncrypted ? { enableTLSForSentinelMode: true, tls: {}, sentinelTLS: {} } : {};
  return { ...group, ...tls, ...SENTINEL, sentinels: [...sentinels] } satisfies RedisOptions;
}

const patient = {
  maxRetriesPerRequest: null,
  enableOfflineQueue: true,
  connectTimeout: 5_000,
  socketTimeout: PATIENT_SILENCE_MS,
} satisfies RedisOptions;

const failFast = (commandTimeout: number) =>
  ({
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    connectTimeout: 2_000,
    commandTimeout,
    socketTimeout: FAIL_FAST_SILENCE_MS,
  }) satisfies RedisOptions;

function describe(error: Error & { code?: string }): string {
  return error.message || error.code || error.name;
}

/**
 * Wraps a report so that it runs at most once in `everyMs`. The report receives the number of reports that were held back since
 * the last one.
 */
export function throttle<A>(
  everyMs: number,
  report: (value: A, heldBack: number) => void,
): (value: A) => void {
  let lastAt = Number.NEGATIVE_INFINITY;
  let heldBack = 0;
  return (value) => {
    const now = performance.now();
    if (now - lastAt < everyMs) {
      heldBack += 1;
      return;
    }
    const count = heldBack;
    lastAt = now;
    heldBack = 0;
    report(value, count);
  };
}
