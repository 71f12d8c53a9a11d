import type { Database, Statement } from '@image-gateway/shared/db';
import type { TestDatabase } from '@image-gateway/testing';
import { batchStatements } from '../src/domain/db/batch-statements.js';

/** A process that shares statements among its callers, and the names of those that it sent. */
export interface NotingProcess {
  readonly db: Pick<Database, 'run'>;
  readonly statements: readonly string[];
}

/** Makes a process of its own over a test database, and notes the statements that it sends. */
export function noteStatements(database: TestDatabase): NotingProcess {
  const statements: string[] = [];
  const run = <Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]> => {
    statements.push(statement.name);
    return database.db.run(statement, values);
  };
  return { db: { run: batchStatements(run) }, statements };
}
