import type pg from 'pg';
import { createSemaphore, TIMED_OUT, withTimeout } from '../../runtime/concurrency/index.js';
import { AppError, UnusableServiceError } from '../errors/index.js';
import { batchStatements } from './batch-statements.js';
import { createConnectionPool } from './create-connection-pool.js';
import { createLivenessProbe, isReachable } from './create-liveness-probe.js';
import {
  createReadOnlyError,
  getDriverError,
  getSqlState,
  isConnectionError,
  isDiskFullError,
  isReadOnlyError,
  isTemporaryError,
  isUnreachable,
  toDatabaseError,
} from './database-error.js';
import { getTypeParser } from './parse-value.js';
import { createStatementForms, type StatementForm } from './prepared-statements.js';
import { judgeSession, ROLE_STATEMENT_MS, SESSION_DEFAULTS, type SessionState } from './session-defaults.js';
import type { Statement } from './statement.js';
import { createTimedClient } from './timed-client.js';

/** How the database is reached; all times in milliseconds. */
export interface DatabaseOptions {
  readonly url: string;
  /** Seen in pg_stat_activity; `nameSession` gives that of a process. */
  readonly applicationName: string;
  /** Most connections at a time. */
  readonly max?: number;
  /** Longest wait for a new connection. */
  readonly connectTimeoutMs?: number;
  /** Longest wait for a connection while all are busy; 4000 unless given. */
  readonly maxWaitMs?: number;
  /** Longest statement; 5000 unless given. Longer ones lift the limits of the role, and wait for locks as long. */
  readonly statementTimeoutMs?: number;
  /** Time without an answer after which a statement ends if the database is away; only its timeout ends it unless given. */
  readonly silenceMs?: number;
  /** Longest life of a connection, after which it is replaced; half an hour unless given. */
  readonly maxLifetimeMs?: number;
  /** Called when an idle connection breaks; the pool replaces it by itself. */
  readonly onIdleError?: (error: Error) => void;
}

/** Database of named statements; `withPrisma` adds Prisma's client over the same connections. */
export interface Database {
  /**
   * Runs a named statement, together with others of its kind where it can do many at once. Throws AppError with the
   * driver's error as its cause, also for a value that cannot be read. Values of `int8` come as bigint, of `timestamptz` as Date.
   */
  readonly run: <Row>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>;
  /**
   * Access for a client with its own statements: the pool, and `run`, in which they wait for a connection and fail like
   * named ones.
   */
  readonly connections: { readonly pool: pg.Pool; readonly run: RunConnected };
  /**
   * Resolves when the database responds and takes writes. Throws AppError otherwise, `SERVICE_UNAVAILABLE` when it takes none. Throws
   * UnusableServiceError when its sessions have wrong settings, its encoding cannot hold every text, or it had no disk for a write
   * lately.
   */
  readonly ping: () => Promise<void>;
  readonly close: () => Promise<void>;
}

type RunConnected = <T>(name: string, action: () => Promise<T>) => Promise<T>;

/** Settings that every look at the database reads. */
const SETTINGS = ['server_encoding', ...SESSION_DEFAULTS.map(({ name }) => name)];

// On a standby and in sessions that are read-only by default `transaction_read_only` is on.
const PING: Statement = {
  name: 'ping',
  text: `
SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly", current_user AS role, current_database() AS database,
       jsonb_build_object(${SETTINGS.map((name) => `'${name}', current_setting('${name}')`).join(', ')}) AS settings`,
};
// A server that no longer responds cannot keep its own time: the client stops waiting a little later.
const ANSWER_MARGIN_MS = 500;
const LIVENESS = { timeoutMs: 500, cacheTtlMs: 3_000 };
// A look at the database writes nothing, so it does not see a full disk. After this time requests come again, and try.
const DISK_FULL_MS = 10_000;

/** Opens a pool of connections with timeouts on every step; connects only when first used. The role has the settings of its sessions. */
export function createDatabase(options: DatabaseOptions): Database {
  const statementTimeoutMs = options.statementTimeoutMs ?? 5_000;
  const connectTimeoutMs = options.connectTimeoutMs ?? 3_000;
  const max = options.max ?? 10;
  const config: pg.PoolConfig = {
    connectionString: options.url,
    application_name: options.applicationName,
    max,
    connectionTimeoutMillis: connectTimeoutMs,
    // A burst after a quiet minute must not have to wait for new connections.
    idleTimeoutMillis: 10 * 60_000,
    query_timeout: statementTimeoutMs + ANSWER_MARGIN_MS,
    keepAlive: true,
    Client: createTimedClient(statementTimeoutMs),
    types: { getTypeParser },
  };
  const { pool, expireAll } = createConnectionPool(config, {
    maxLifetimeMs: options.maxLifetimeMs ?? 30 * 60_000,
  });
  pool.on('error', (error) => options.onIdleError?.(error));
  // Without a listener, a connection that breaks between the pool and its borrower would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const connections = createConnectionSemaphore({
    connections: max,
    maxWaitMs: options.maxWaitMs ?? 4_000,
    isUnreachable,
  });
  const liveness = createLivenessProbe({
    ...LIVENESS,
    check: () => isReachable(options, LIVENESS.timeoutMs),
  });

  let fullUntil = 0;
  const runConnected: RunConnected = (name, action) =>
    connections.run(async () => {
      try {
        const answer = await action();
        liveness.recordResponse();
        return answer;
      } catch (thrown) {
        const error = getDriverError(thrown);
        if (isReadOnlyError(error)) {
          expireAll();
        }
        if (isDiskFullError(error)) {
          fullUntil = performance.now() + DISK_FULL_MS;
        }
        const isLost = isConnectionError(error) && !isTemporaryError(error);
        if (!isLost && getSqlState(error) !== undefined) {
          liveness.recordResponse();
        }
        throw toDatabaseError(name, error, { isOnlyConnection: isLost && (await liveness.isAlive()) });
      }
    });

  const forms = createStatementForms();
  const answerMs = statementTimeoutMs + ANSWER_MARGIN_MS;
  const { silenceMs = answerMs } = options;
  const limits = { answerMs, statementTimeoutMs, silenceMs, isAlive: liveness.isAlive };
  const run = batchStatements(<Row>(statement: Statement, values: readonly unknown[]) =>
    runConnected(statement.name, async () => {
      const answer = await forms.run(statement, (form) => queryWithin(pool, form, values, limits));
      return answer.rows as Row[];
    }),
  );

  return {
    run,
    connections: { pool, run: runConnected },
    ping: async () => {
      const [answer] = await run<SessionState & { readonly isReadOnly: boolean }>(PING, []).catch(
        (error: AppError) => {
          const { cause: refused } = (error.cause ?? {}) as Error;
          throw refused instanceof UnusableServiceError ? refused : error;
        },
      );
      const fault = answer && judgeSession(answer);
      if (fault) {
        throw fault;
      }
      if (performance.now() < fullUntil) {
        throw new UnusableServiceError(
          'The disk of PostgreSQL is full, so it takes no writes. Free or add disk space on the database server.',
        );
      }
      if (!answer?.isReadOnly) {
        return;
      }
      expireAll();
      throw toDatabaseError(PING.name, createReadOnlyError(), { isOnlyConnection: false });
    },
    close: () => pool.end(),
  };
}

/** Size of a connection semaphore and its longest wait. */
export interface ConnectionSemaphoreOptions {
  readonly connections: number;
  /** Longest wait for a connection, in milliseconds. */
  readonly maxWaitMs: number;
  /** Says that an error means an unreachable database, which concerns the waiting callers too. */
  readonly isUnreachable: (error: unknown) => boolean;
}

/** Semaphore in front of the connections of a database. */
export interface ConnectionSemaphore {
  /** Runs an action as soon as a connection is free; throws AppError `SERVICE_UNAVAILABLE` after the longest wait. */
  readonly run: <T>(action: () => Promise<T>) => Promise<T>;
}

/**
 * Creates the semaphore in front of the database's connections. The queue of the pool would apply the timeout for new
 * connections and report a busy database as unreachable. An unreachable database fails all waiting callers at once, so they
 * do not find out one after the other.
 */
export function createConnectionSemaphore({
  connections,
  maxWaitMs,
  isUnreachable,
}: ConnectionSemaphoreOptions): ConnectionSemaphore {
  const busy = { message: 'the database is busy: no connection in time', retryAfterSeconds: 1 };
  const createError = (): Error => new AppError('SERVICE_UNAVAILABLE', busy);
  const semaphore = createSemaphore({ permits: connections, timeout: { ms: maxWaitMs, createError } });
  return {
    run: (action) =>
      semaphore.run(async () => {
        try {
          return await action();
        } catch (error) {
          if (isUnreachable(error)) {
            semaphore.refuseWaiting(error);
          }
          throw error;
        }
      }),
  };
}

// The driver has a timeout of its own, which forgets answers that have arrived but were not read yet. It must not be first.
const DRIVERS_OWN_MS = 60_000;

/** Limits of a statement, in milliseconds. */
interface StatementLimits {
  /** Longest wait for the answer. */
  readonly answerMs: number;
  readonly statementTimeoutMs: number;
  /** Time without an answer after which `isAlive` is asked, again and again. */
  readonly silenceMs: number;
  readonly isAlive: () => Promise<boolean>;
}

/**
 * Runs a statement on a connection of the pool. Throws what the driver throws, and an Error when the answer takes too long or
 * the database is away meanwhile.
 */
async function queryWithin(
  pool: pg.Pool,
  form: StatementForm,
  values: readonly unknown[],
  limits: StatementLimits,
): Promise<pg.QueryResult> {
  const client = await pool.connect();
  const query = { ...form, values: [...values], query_timeout: limits.answerMs + DRIVERS_OWN_MS };
  const answer = (): Promise<pg.QueryResult> =>
    limits.statementTimeoutMs > ROLE_STATEMENT_MS
      ? withoutLimits(client, () => client.query(query))
      : client.query(query);
  // A connection that breaks rejects its query as well.
  const onError = (): void => undefined;
  client.on('error', onError);
  let spoiled = true;
  try {
    const result = await awaitAnswer(answer(), limits);
    spoiled = false;
    return result;
  } catch (error) {
    // An error that the server merely reported leaves its connection usable.
    spoiled = (error as { severity?: unknown }).severity !== 'ERROR';
    throw error;
  } finally {
    client.release(spoiled);
    client.off('error', onError);
  }
}

/** Runs work in a transaction in which the limits of the role do not count; the client ends what takes too long. */
async function withoutLimits<T>(client: pg.PoolClient, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0');
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function awaitAnswer(
  answer: Promise<pg.QueryResult>,
  { answerMs, silenceMs, isAlive }: StatementLimits,
): Promise<pg.QueryResult> {
  for (let leftMs = answerMs; leftMs > 0; leftMs -= silenceMs) {
    const result = await withTimeout(Math.min(silenceMs, leftMs), answer);
    if (result !== TIMED_OUT) {
      return result;
    }
    if (leftMs > silenceMs && !(await isAlive())) {
      throw new Error('no answer, and the database is away');
    }
  }
  throw new Error(`no answer for ${answerMs} ms`);
}
