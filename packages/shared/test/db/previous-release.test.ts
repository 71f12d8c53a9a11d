import {
  createTestAccount,
  createTestDatabase,
  createTestTask,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const query = async <T extends object>(text: string, values: readonly unknown[] = []): Promise<T[]> =>
  (await database.pool.query<T>(text, [...values])).rows;

// @until 0.5.0
describe('a process of 0.3.0 that starts after the upgrade', () => {
  const SENTENCE = /this database belongs to 0\.4\.0/;
  const isUntouched = async (id: string) =>
    expect(await query('SELECT phase, attempt, status FROM tasks WHERE id = $1', [id])).toEqual([
      { phase: 'queued', attempt: 0, status: 'pending' },
    ]);

  test('is told so at a claim, at a cancellation and at the end of a task, and changes nothing', async () => {
    const { id } = await createTestTask(database.db, await createTestAccount(database));
    for (const statement of [
      `UPDATE tasks t SET phase = 'running', attempt = t.attempt + 1, lease_until = now() + interval '1 minute', started_at = now()
         WHERE t.id = $1 RETURNING t.clean_attempt AS "cleanAttempt"`,
      'SELECT t.clean_attempt < t.attempt AS "mayHaveOrphans" FROM tasks t WHERE t.id = $1',
      `WITH task AS (UPDATE tasks t SET status = 'failed', phase = 'done', settled_attempt = 0, error = 'x', failure = 'operator', started_at = now(), completed_at = now()
         WHERE t.id = $1 RETURNING t.id, t.clean_attempt) SELECT id FROM task`,
    ]) {
      await expect(query(statement, [id])).rejects.toThrow(SENTENCE);
    }
    await isUntouched(id);
  });

  test('is told so at a submit', async () => {
    const { id } = await createTestTask(database.db, await createTestAccount(database));
    await expect(
      query(
        `INSERT INTO tasks (id, account_id, api_key_id, request_id, model, type, prompt, aspect_ratio, resolution, num_outputs, image_urls,
           deadline_at, unit_micros, hold_micros, catalog_version)
         SELECT 'gen_of_former', account_id, api_key_id, request_id, model, type, prompt, aspect_ratio, resolution, num_outputs, image_urls,
           deadline_at, unit_micros, hold_micros, 1 FROM tasks WHERE id = $1`,
        [id],
      ),
    ).rejects.toThrow(SENTENCE);
  });

  test('is told so when it takes a webhook, or a check of a provider', async () => {
    await query(
      "INSERT INTO provider_checks (id, provider, slot, created_by) VALUES ('chk_former', 'openai', 1, 'test')",
    );
    for (const statement of [
      'SELECT CASE WHEN a.webhook_secret_previous_until > now() THEN 2 ELSE 1 END FROM accounts a',
      "UPDATE provider_checks c SET state = 'running', attempt = c.attempt + 1, lease_until = now(), started_at = now() RETURNING c.nonce",
    ]) {
      await expect(query(statement)).rejects.toThrow(SENTENCE);
    }
    expect(await query('SELECT state, attempt FROM provider_checks')).toEqual([
      { state: 'pending', attempt: 0 },
    ]);
  });
});
