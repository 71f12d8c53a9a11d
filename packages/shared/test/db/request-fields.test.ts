import { settleTask } from '@image-gateway/shared/billing';
import { addOutput, claimTask, findTask, noteUnused, setShape } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import {
  createTestAccount,
  createTestDatabase,
  createTestTask,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

let database: TestDatabase;
let account: TestAccount;
beforeAll(async () => {
  database = await createTestDatabase();
  account = await createTestAccount(database);
});
afterEach(() => database.checkInvariants());
afterAll(() => database.close());

/** Claims a task with a mask, wishes and a shape of its own, at attempt 1. */
async function claimWished(): Promise<string> {
  const request = { image_urls: ['https://a.example/1.png'] };
  const { id } = await createTestTask(database.db, account, { request });
  await database.pool.query(
    `UPDATE tasks SET mask = 'input:x', wishes = '{"style": "vivid", "seed": 4294967295}', seed = 4294967295,
            shape_ratios = '{2:3,3:4}' WHERE id = $1`,
    [id],
  );
  await claimTask(database.db, { workerId: 'a', leaseMs: 60_000, maxTries: 3 }, id);
  return id;
}

async function finish(id: string): Promise<void> {
  const image = { contentType: 'image/png', bytes: 10, width: 1024, height: 1024, sha256: 'x' };
  const output = { index: 0, slot: 0, key: `images/${id}/0.png`, ...image };
  const reported = { seed: 4_294_967_295, quality: 'high', revisedPrompt: 'a red fox, revised' };
  await addOutput(database.db, { taskId: id, attempt: 1 }, { ...output, ...reported });
  const deps = { db: database.db, newId, fileUrl: 'http://f' };
  await settleTask(deps, { taskId: id, attempt: 1, reason: '' });
}

describe('what a request wished and its upstream reported', () => {
  test('a claimed task has its needs and wishes', async () => {
    expect(await findTask(database.db, await claimWished())).toMatchObject({
      mask: 'input:x',
      wishes: { style: 'vivid', seed: 4_294_967_295 },
      seed: 4_294_967_295,
      shapeRatios: ['2:3', '3:4'],
      unused: null,
    });
  });

  test('wishes that routes left out are added up, by the attempt that owns the task alone', async () => {
    const taskId = await claimWished();
    expect(await noteUnused(database.db, { taskId, attempt: 1, unused: ['style', 'seed'] })).toBe(true);
    expect(await noteUnused(database.db, { taskId, attempt: 1, unused: ['moderation', 'seed'] })).toBe(true);
    expect(await noteUnused(database.db, { taskId, attempt: 0, unused: ['quality'] })).toBe(false);
    expect((await findTask(database.db, taskId))?.unused).toEqual(['moderation', 'seed', 'style']);
    await finish(taskId);
    expect(await noteUnused(database.db, { taskId, attempt: 1, unused: ['quality'] })).toBe(false);
  });

  test('the shape of a task is set once, by the attempt that owns it', async () => {
    const taskId = await claimWished();
    expect(await setShape(database.db, { taskId, attempt: 0, aspectRatio: '2:3' })).toBe(false);
    expect(await setShape(database.db, { taskId, attempt: 1, aspectRatio: '3:4' })).toBe(true);
    expect(await setShape(database.db, { taskId, attempt: 1, aspectRatio: '2:3' })).toBe(false);
    expect(await findTask(database.db, taskId)).toMatchObject({ aspectRatio: '3:4', shapeRatios: null });
  });

  test('a finished task keeps them, and they are gone when it is erased, also by a statement that knows none of them', async () => {
    const id = await claimWished();
    await finish(id);
    const stored = async () => {
      const { rows } = await database.pool.query(
        `SELECT t.mask, t.wishes, o.seed::int8::text, o.quality, o.revised_prompt FROM tasks t JOIN task_outputs o ON o.task_id = t.id
          WHERE t.id = $1`,
        [id],
      );
      return rows[0];
    };
    expect(await stored()).toMatchObject({
      seed: '4294967295',
      quality: 'high',
      revised_prompt: 'a red fox, revised',
    });
    for (const change of [
      "mask = 'input:y'",
      'wishes = NULL',
      "unused = '{seed}'",
      "quality = 'low'",
      'seed = 1',
    ]) {
      await expect(database.pool.query(`UPDATE tasks SET ${change} WHERE id = $1`, [id])).rejects.toThrow(
        'is finished and cannot change',
      );
    }
    await database.pool.query(
      "UPDATE tasks SET erased_at = now(), prompt = '', negative_prompt = NULL, image_urls = '{}' WHERE id = $1",
      [id],
    );
    expect(await stored()).toMatchObject({ mask: null, wishes: null, revised_prompt: null, quality: 'high' });
  });
});
