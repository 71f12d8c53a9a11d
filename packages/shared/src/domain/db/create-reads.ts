import { createSemaphore, type Semaphore } from '../../runtime/concurrency/index.js';
import { AppError } from '../errors/index.js';
import { createDatabase, type Database, type DatabaseOptions } from './create-database.js';
import type { Statement } from './statement.js';

/** Reads of one account; throws AppError `SERVICE_UNAVAILABLE` with a hint for the caller when they take too long. */
export type AccountReads = Pick<Database, 'run'>;

/** Share of the connections for reads that can be long: lists, sums and pages of the dashboard. */
export interface Reads {
  /** Reads of an account, a few at a time, in turns with those of other accounts. `narrowBy` names the parameters that make a read shorter. */
  readonly ofAccount: (accountId: string, narrowBy?: string) => AccountReads;
  /** The same connections for reads that belong to no account. */
  readonly database: Database;
  readonly close: () => Promise<void>;
}

/** Settings of the share. */
export interface ReadsOptions extends Pick<DatabaseOptions, 'url' | 'applicationName' | 'onIdleError'> {
  /** Connections of all accounts together. */
  readonly connections: number;
  /** Connections of one account. */
  readonly connectionsPerAccount: number;
  /** Longest wait for a connection, and the longest statement, in milliseconds. */
  readonly timeoutMs: number;
}

const CONNECT_TIMEOUT_MS = 2_000;

interface Turn<T> {
  /** True when callers share the statement: they cannot share it while each of them needs a connection. */
  readonly isShared: boolean;
  readonly action: () => Promise<T>;
}

/**
 * Opens connections of their own for long reads, so that these never take one from submits and polls. Each account has but a few
 * of them at a time, which leaves the rest to others. PostgreSQL cancels a statement that takes too long.
 */
export function createReads(options: ReadsOptions): Reads {
  const { connections, connectionsPerAccount, timeoutMs, ...how } = options;
  const database = createDatabase({
    ...how,
    max: connections,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    maxWaitMs: timeoutMs,
    statementTimeoutMs: timeoutMs,
  });
  const createError = (): Error =>
    new AppError('SERVICE_UNAVAILABLE', { message: 'reads are busy: no connection in time' });
  const semaphore = (permits: number): Semaphore =>
    createSemaphore({ permits, timeout: { ms: timeoutMs, createError } });
  const all = semaphore(connections);
  const accounts = new Map<string, { readonly semaphore: Semaphore; users: number }>();

  const runInTurn = async <T>(accountId: string, { isShared, action }: Turn<T>): Promise<T> => {
    const own = accounts.get(accountId) ?? { semaphore: semaphore(connectionsPerAccount), users: 0 };
    accounts.set(accountId, own);
    own.users++;
    try {
      return await own.semaphore.run(() => (isShared ? action() : all.run(action, { key: accountId })));
    } finally {
      own.users--;
      if (own.users === 0) {
        accounts.delete(accountId);
      }
    }
  };

  return {
    database,
    ofAccount: (accountId, narrowBy) => ({
      run: async <Row>(statement: Statement, values: readonly unknown[]) => {
        try {
          const action = () => database.run<Row>(statement, values);
          return await runInTurn(accountId, { isShared: statement.batch !== undefined, action });
        } catch (error) {
          throw withHint(error, narrowBy);
        }
      },
    }),
    close: database.close,
  };
}

function withHint(error: unknown, narrowBy: string | undefined): unknown {
  if (!(error instanceof AppError) || error.code !== 'SERVICE_UNAVAILABLE') {
    return error;
  }
  const advice = narrowBy === undefined ? 'Try' : `Ask for less with ${narrowBy}, or try`;
  return new AppError('SERVICE_UNAVAILABLE', {
    message: error.message,
    publicMessage: `This could not be read in time. ${advice} again in a moment.`,
    retryAfterSeconds: 1,
    cause: error,
  });
}
