import { createImageFinder } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import { createTestDatabase, type TestDatabase } from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { noteStatements } from '../note-statements.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

test('a thousand invented file names at once are ten statements, one at a time', async () => {
  const { db, statements } = noteStatements(database);
  let running = 0;
  let most = 0;
  const run: typeof db.run = async (statement, values) => {
    running += 1;
    most = Math.max(most, running);
    try {
      return await db.run(statement, values);
    } finally {
      running -= 1;
    }
  };
  const find = createImageFinder({ run }, {});
  const found = await Promise.all(
    Array.from({ length: 1_000 }, () => {
      const taskId = newId('gen');
      return find({ taskId, key: `images/${taskId}/0.png` });
    }),
  );
  expect(found.filter((image) => image !== undefined)).toEqual([]);
  expect([statements.length, most]).toEqual([10, 1]);
});
