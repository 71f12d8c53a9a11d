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
