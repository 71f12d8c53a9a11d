import { createDatabase, type DatabaseOptions } from '@image-gateway/shared/db';
import { type PrismaDatabase, withPrisma } from '@image-gateway/shared/db/prisma';
import { AppError } from '@image-gateway/shared/errors';
import {
  createTestDatabase,
  eventually,
  type Relay,
  startRelay,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll } from '@jest/globals';

/** Makes a database of its own for a test file, which each test reaches over a relay of its own. */
export function useDatabaseBehindRelay(applicationName: string) {
  let test: TestDatabase;
  let relay: Relay;
  const open: PrismaDatabase[] = [];
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((db) => db.close()));
    await relay.close();
  });
  afterAll(() => test.close());
  return {
    test: () => test,
    /** The relay of the last `reach`. */
    relay: () => relay,
    /** Opens the database with short limits, closed after the test. */
    reach: async (options: Partial<DatabaseOptions> = {}) => {
      relay = await startRelay(test.url);
      const limits = { statementTimeoutMs: 500, connectTimeoutMs: 3_000 };
      const db = withPrisma(createDatabase({ url: relay.url, applicationName, ...limits, ...options }));
      open.push(db);
      // Its limits may be shorter than a busy machine takes to connect.
      await eventually(() => db.ping());
      return db;
    },
  };
}

/** Resolves to `answered`, to the code and the retry delay of an AppError, or to the text of another error. */
export const getOutcome = (promise: Promise<unknown>) =>
  promise.then(
    () => 'answered',
    (error: unknown) => (error instanceof AppError ? [error.code, error.retryAfterSeconds] : String(error)),
  );

/** Result of `getOutcome` for a database that lives and is overloaded. */
export const OVERLOAD = ['SERVICE_UNAVAILABLE', 1];
