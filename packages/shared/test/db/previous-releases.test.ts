import { createHash } from 'node:crypto';
import { findApiKey, finishCall, startCall } from '@image-gateway/shared/db';
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

describe('beside processes of 0.1.0 and 0.2.0', () => {
  test('a limit of requests that either release sets or removes holds for both', async () => {
    const { id, apiKey } = await createTestAccount(database);
    const readNew = async () =>
      (await findApiKey(database.db, createHash('sha256').update(apiKey).digest()))?.requests ?? null;
    const readOld = async () =>
      (
        await query<{ limit: number | null }>(
          'SELECT key_requests_per_minute AS limit FROM accounts WHERE id = $1',
          [id],
        )
      )[0]?.limit;
    const setOld = (limit: number | null) =>
      query(
        'UPDATE accounts SET max_open_tasks = NULL, key_requests_per_minute = $2, requests_seconds = 60 WHERE id = $1',
        [id, limit],
      );
    const setNew = (limit: number | null) =>
      query('UPDATE accounts SET max_requests = $2, requests_seconds = 60 WHERE id = $1', [id, limit]);
    for (const [set, limit] of [
      [setOld, 90],
      [setNew, 70],
      [setOld, 50],
      [setNew, null],
      [setNew, 30],
      [setOld, null],
    ] as const) {
      await set(limit);
      expect([await readOld(), await readNew()]).toEqual([limit, limit && { limit, windowSeconds: 60 }]);
    }
  });

  test("pages of 0.2.0 read today's failures and the costs of models", async () => {
    const account = await createTestAccount(database);
    const { id: taskId } = await createTestTask(database.db, account);
    const call = { id: 'call_x', attempt: 0, provider: 'fal', model: 'm', slots: [0], costMicros: 4_000n };
    const rest = {
      requestId: null,
      jobHandle: null,
      createdAt: new Date(),
      keyFingerprint: null,
      state: 'started',
      detail: null,
    } as const;
    await startCall(database.db, { taskId, knownCalls: 0 }, { ...call, ...rest });
    await finishCall(database.db, { callId: 'call_x', state: 'succeeded', detail: null, costMicros: 4_000n });
    await query(
      `INSERT INTO task_hours (hour, model, lane, failed, failed_webhooks)
       VALUES (date_trunc('hour', now(), 'UTC'), 'a', 0, 3, 5), (date_trunc('hour', now(), 'UTC'), 'b', 1, 4, 0),
              (date_trunc('hour', now() - interval '1 day', 'UTC'), 'b', 1, 90, 90)`,
    );
    const today = "WHERE day = (now() AT TIME ZONE 'UTC')::date";
    expect(
      await query(
        `SELECT (SELECT COALESCE(sum(failed), 0)::int FROM failed_task_days ${today}) AS tasks,
                (SELECT COALESCE(sum(failed), 0)::int FROM failed_delivery_days ${today}) AS webhooks`,
      ),
    ).toEqual([{ tasks: 7, webhooks: 5 }]);
    expect(
      await query(
        'SELECT model, sum(cost_micros)::int AS micros FROM model_cost_hours WHERE hour >= $1 GROUP BY model',
        [new Date(Date.now() - 86_400_000)],
      ),
    ).toEqual([{ model: 'nanobanana', micros: 4_000 }]);
  });
});

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
