import type { Statement } from '@image-gateway/shared/db';
import type { TestDatabase } from '@image-gateway/testing';
import { batchStatements } from '../src/domain/db/batch-statements.js';

/** Makes a process of its own over a test database, and notes the statements that it sends. */
export function noteStatements(database: TestDatabase) {
  const statements: string[] = [];
  const run = <Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]> => {
    statements.push(statement.name);
    return database.db.run(statement, values);
  };
  return { db: { run: batchStatements(run) }, statements };
}
