import { AppError } from '../errors/index.js';
import { createDatabase, type Database, type DatabaseOptions } from './create-database.js';
import { getSqlState, isUnreachable } from './database-error.js';
import { createReadTurns } from './read-turns.js';
import type { Statement } from './statement.js';

/** Reads of one account; throws AppError `SERVICE_UNAVAILABLE` when they take too long, `RATE_LIMITED` when too many wait. */
export type AccountReads = Pick<Database, 'run'>;

/** Share of the connections for reads that can be long: lists, sums and pages of the dashboard. */
export interface Reads {
  /** Reads of an account, a few at a time, in turns with those of other accounts. Equal ones that wait together are one statement. */
  readonly ofAccount: (accountId: string) => AccountReads;
  /** The same connections for reads that belong to no account, in turns with the accounts. */
  readonly database: Database;
  readonly close: () => Promise<void>;
}

/** Settings of the share. */
export interface ReadsOptions extends Pick<DatabaseOptions, 'url' | 'applicationName' | 'onIdleError'> {
  /** Connections of all accounts together. */
  readonly connections: number;
  /** Connections of one account. */
  readonly connectionsPerAccount: number;
  /** Maximum of reads of one account that wait. */
  readonly maxWaiting: number;
  /** Longest statement, in milliseconds. */
  readonly statementTimeoutMs: number;
  /** Longest wait for a turn, in milliseconds. */
  readonly maxWaitMs: number;
}

const CONNECT_TIMEOUT_MS = 2_000;
// While the database is away, requests end within 6 s.
const SILENCE_MS = 4_000;
/** Owner of the reads that belong to no account. */
const NO_ACCOUNT = '';
/** SQLSTATE query_canceled: the statement took too long. */
const CANCELED = '57014';

/**
 * Opens connections of their own for long reads, so that these never take one from submits and polls. Each account has but a few
 * of them at a time, which leaves the rest to others, and waits in its turn for more. PostgreSQL cancels a statement that takes too long.
 */
export function createReads(options: ReadsOptions): Reads {
  const { connections, connectionsPerAccount, maxWaiting, maxWaitMs, statementTimeoutMs, ...how } = options;
  const database = createDatabase({
    ...how,
    max: connections,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    maxWaitMs,
    statementTimeoutMs,
    silenceMs: SILENCE_MS,
  });
  const turns = createReadTurns({
    connections,
    perOwner: connectionsPerAccount,
    maxWaiting,
    maxWaitMs,
    isUnreachable,
  });

  const run = async <Row>(
    owner: string,
    key: unknown,
    statement: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> => {
    const action = () => database.run<Row>(statement, values);
    try {
      return await turns.run({ owner, key, isShared: statement.batch !== undefined, action });
    } catch (error) {
      throw withAdvice(error, statement);
    }
  };

  return {
    database: {
      ...database,
      run: (statement, values) => run(NO_ACCOUNT, {}, statement, values),
      connections: {
        pool: database.connections.pool,
        run: (name, work) => {
          const action = () => database.connections.run(name, work);
          return turns.run({ owner: NO_ACCOUNT, key: {}, isShared: false, action });
        },
      },
    },
    ofAccount: (accountId) => ({
      run: (statement, values) => run(accountId, describe(statement, values), statement, values),
    }),
    close: database.close,
  };
}

/** Returns a text that is the same for equal statements with equal values. */
function describe({ name }: Statement, values: readonly unknown[]): string {
  const json = JSON.stringify(values, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return `${name} ${json}`;
}

/** Tells the caller of a statement that took too long what makes it shorter. */
function withAdvice(error: unknown, { narrowBy }: Statement): unknown {
  if (!(error instanceof AppError) || error.code !== 'SERVICE_UNAVAILABLE' || error.cause === undefined) {
    return error;
  }
  const mayNarrow = narrowBy !== undefined && getSqlState(error) === CANCELED;
  const advice = mayNarrow ? `Ask for less with ${narrowBy}, or try` : 'Try';
  return new AppError('SERVICE_UNAVAILABLE', {
    message: error.message,
    publicMessage: `This could not be read in time. ${advice} again in a moment.`,
    retryAfterSeconds: 1,
    cause: error,
  });
}
