import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { AppError } from '../errors/index.js';
import { answers } from './answers.js';
import { batchStatements } from './batch-statements.js';
import { createPulse } from './create-pulse.js';
import { sqlStateOf, toDatabaseError } from './database-error.js';
import { driverErrorOf } from './driver-error-of.js';
import { PrismaClient } from './generated/client.js';
import { guardPrisma } from './guard-prisma.js';
import { isConnectionTrouble } from './is-connection-trouble.js';
import { queryWithin } from './query-within.js';
import type { Statement } from './statement.js';
import { createTurnstile } from './turnstile.js';

/** How the database is reached; all times in milliseconds. */
export interface DatabaseOptions {
  readonly url: string;
  /** Seen in pg_stat_activity. */
  readonly applicationName: string;
  /** Most connections at a time. */
  readonly max?: number;
  /** Longest wait for a new connection. */
  readonly connectTimeoutMs?: number;
  /** Longest wait for a place among the connections while all are busy; 4000 unless given. */
  readonly placeTimeoutMs?: number;
  readonly statementTimeoutMs?: number;
  readonly lockTimeoutMs?: number;
  /** Called when an idle connection breaks; the pool replaces it by itself. */
  readonly onIdleError?: (error: Error) => void;
}

/** The database: named statements for what is hot, Prisma over the same connections for the rest. */
export interface Database {
  /** Runs a named statement, together with others of its kind where it can do many at once; throws AppError with the driver's error as its cause. `int8` comes as bigint, `timestamptz` as Date. */
  readonly run: <Row>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>;
  /** For everything else; throws AppError `SERVICE_UNAVAILABLE` when the database is overloaded, and Prisma's own errors. */
  readonly prisma: PrismaClient;
  /** Resolves when the database answers; throws AppError otherwise. */
  readonly ping: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const INT8 = 20;
const PING: Statement = { name: 'ping', text: 'SELECT 1' };
// A server that no longer answers cannot keep its own time: the client stops waiting a little later.
const ANSWER_MARGIN_MS = 500;
const PULSE = { patienceMs: 500, rememberMs: 3_000 };

/** Opens a pool of connections with UTC sessions and time-outs on every step; connects only when first used. */
export function createDatabase(options: DatabaseOptions): Database {
  const statementTimeoutMs = options.statementTimeoutMs ?? 5_000;
  const connectTimeoutMs = options.connectTimeoutMs ?? 3_000;
  const max = options.max ?? 10;
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max,
    connectionTimeoutMillis: connectTimeoutMs,
    // A burst after a quiet minute must not have to wait for new connections.
    idleTimeoutMillis: 10 * 60_000,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + ANSWER_MARGIN_MS,
    lock_timeout: options.lockTimeoutMs ?? 2_000,
    idle_in_transaction_session_timeout: 10_000,
    keepAlive: true,
    options: '-c timezone=UTC',
    types: {
      getTypeParser: ((oid: number, format: 'text') =>
        oid === INT8 ? BigInt : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  });
  pool.on('error', (error) => options.onIdleError?.(error));
  // Between the pool and whoever asked for a connection nobody listens to it: one that ends in that moment would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const turnstile = createTurnstile({
    places: max,
    patienceMs: options.placeTimeoutMs ?? 4_000,
    isGone: (error) =>
      error instanceof AppError && error.code === 'INTERNAL_ERROR' && isConnectionTrouble(error),
  });
  const pulse = createPulse({ ...PULSE, ask: () => answers(options.url, PULSE.patienceMs) });

  const inTurn = <T>(name: string, action: () => Promise<T>): Promise<T> =>
    turnstile.pass(async () => {
      try {
        const answer = await action();
        pulse.beat();
        return answer;
      } catch (thrown) {
        const error = driverErrorOf(thrown);
        const isLost = isConnectionTrouble(error);
        if (!isLost && sqlStateOf(error) !== undefined) pulse.beat();
        throw toDatabaseError(name, error, { onlyLost: isLost && (await pulse.lives()) });
      }
    });

  const run = batchStatements(<Row>(statement: Statement, values: readonly unknown[]) =>
    inTurn(statement.name, async () => {
      const answer = await queryWithin(pool, statement, values, statementTimeoutMs + ANSWER_MARGIN_MS);
      return answer.rows as Row[];
    }),
  );
  const prisma = guardPrisma(new PrismaClient({ adapter: new PrismaPg(pool) }), inTurn);

  return {
    run,
    prisma,
    ping: async () => {
      await run(PING, []);
    },
    close: async () => {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}
