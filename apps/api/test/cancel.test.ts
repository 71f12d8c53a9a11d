import { cancelTask, settleTask } from '@image-gateway/shared/billing';
import { finishCall, startCall } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import { createTestTask, type TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { finishTask } from './support/finish-task.js';
import { startApi, type TestApi } from './support/start-api.js';

const RACES = 100;

let api: TestApi;
let owner: TestAccount;
let stranger: TestAccount;
beforeAll(async () => {
  api = await startApi();
  owner = await api.account({ balanceMicros: 100_000_000n });
  stranger = await api.account();
});
afterAll(async () => {
  await api.test.checkInvariants();
  await api.stop();
});

const deps = () => ({ db: api.test.db, newId, fileUrl: 'http://gateway.test/files' });
const cancel = (id: string, as = owner) => api.call(`/v1/tasks/${id}/cancel`, { as, method: 'POST' });
const read = async (id: string) => (await api.call(`/v1/tasks/${id}`, { as: owner })).text;
const createCall = (slot = 0) => ({
  id: newId('call'),
  attempt: 1,
  provider: 'sandbox',
  model: 'sandbox',
  slots: [slot],
  ...({
    requestId: null,
    jobHandle: null,
    createdAt: new Date(),
    keyFingerprint: null,
    state: 'started',
    detail: null,
  } as const),
  costMicros: 1n,
});
const start = (taskId: string, knownCalls: number, call = createCall()) =>
  startCall(api.test.db, { taskId, knownCalls }, call).then((result) => result === 'started');
const count = async (sql: string): Promise<number> =>
  (await api.test.pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${sql}`)).rows[0]?.n ?? -1;

describe('POST /v1/tasks/{id}/cancel', () => {
  test('POST /v1/tasks/{id}/cancel ends a task without an open call at once, at no cost, and counts it as a failure of its owner', async () => {
    const { id } = await createTestTask(api.test.db, owner);
    const { status, text } = await cancel(id);
    expect(status).toBe(200);
    expect(JSON.parse(text).data).toMatchObject({
      id,
      status: 'failed',
      error: 'The task was canceled.',
      cost: '$0.00',
    });
    expect(text).toBe(await read(id));
    expect((await cancel(id)).text).toBe(text);
    expect(await count(`tasks WHERE id = '${id}' AND is_caller_failure(failure)`)).toBe(1);
  });

  test('completes and charges a task with stored images', async () => {
    const { id } = await finishTask(api, owner, {
      images: [Buffer.from('a')],
      request: { num_outputs: 2 },
      settle: false,
    });
    expect(JSON.parse((await cancel(id)).text).data).toMatchObject({ status: 'completed', cost: '$0.0100' });
  });

  test('POST /v1/tasks/{id}/cancel leaves a task pending while a call is open, and lets no other one start', async () => {
    const { id } = await finishTask(api, owner, { images: [], request: { num_outputs: 2 }, settle: false });
    const call = createCall();
    expect(await start(id, 0, call)).toBe(true);
    const { status, text } = await cancel(id);
    expect([status, JSON.parse(text).data.status]).toEqual([200, 'pending']);
    expect(await start(id, 1, createCall(1))).toBe(false);
    expect(await count(`provider_calls WHERE task_id = '${id}'`)).toBe(1);
    await finishCall(api.test.db, { callId: call.id, state: 'failed', detail: 'overloaded', costMicros: 0n });
    expect(JSON.parse((await cancel(id)).text).data.status).toBe('failed');
  });

  test('POST /v1/tasks/{id}/cancel leaves a task pending of which an attempt may have left images, until another attempt has looked', async () => {
    const { id } = await finishTask(api, owner, { images: [], request: { num_outputs: 1 }, settle: false });
    const set = (sql: string) => api.test.pool.query(`UPDATE tasks SET ${sql} WHERE id = $1`, [id]);
    for (const state of [
      "phase = 'queued', lease_until = NULL",
      "phase = 'running', lease_until = now() - interval '1 s'",
    ]) {
      await set(state);
      expect(JSON.parse((await cancel(id)).text).data.status).toBe('pending');
    }
    await set("phase = 'queued', lease_until = NULL, tidy_attempt = 1");
    expect(JSON.parse((await cancel(id)).text).data.status).toBe('failed');
  });

  test('POST /v1/tasks/{id}/cancel never ends a task beside a call that has started since the look at its calls', async () => {
    const { id } = await finishTask(api, owner, { images: [], request: { num_outputs: 1 }, settle: false });
    expect(await start(id, 0)).toBe(true);
    const end = { taskId: id, attempt: 1, callCount: 0, reason: 'The task was canceled.' };
    expect(await settleTask(deps(), end)).toEqual({ settled: false });
    expect(await settleTask(deps(), { ...end, callCount: 1 })).toMatchObject({ settled: true });
  });

  test('POST /v1/tasks/{id}/cancel leaves an ended task as it is, and is 404 for strangers and unknown ids', async () => {
    const { id } = await finishTask(api, owner);
    const before = await read(id);
    expect([(await cancel(id)).text, await read(id)]).toEqual([before, before]);
    const open = await createTestTask(api.test.db, owner);
    for (const answer of [await cancel(open.id, stranger), await cancel("gen_'")]) {
      expect(answer.status).toBe(404);
    }
    expect(await count(`tasks WHERE id = '${open.id}' AND cancel_requested_at IS NOT NULL`)).toBe(0);
  });
});

test('a thousand cancellations that race settlements and calls: each task ends once, with one webhook, and no call is abandoned', async () => {
  const ids: string[] = [];
  const request = { webhook_url: 'https://hooks.example/x', num_outputs: 2 };
  for (let batch = 0; batch < 5; batch++) {
    const tasks = Array.from({ length: 200 }, () => createTestTask(api.test.db, owner, { request }));
    ids.push(...(await Promise.all(tasks)).map(({ id }) => id));
  }
  await api.test.pool.query(
    `UPDATE tasks SET phase = 'running', attempt = 1, started_at = now(), lease_until = now() + interval '1 minute'
      WHERE id = ANY ($1)`,
    [ids],
  );
  const work = async (id: string, i: number): Promise<void> => {
    if (i % 2 === 0) {
      await settleTask(deps(), { taskId: id, attempt: 1, reason: 'The upstream provider failed.' });
      return;
    }
    const call = createCall();
    if (await start(id, 0, call)) {
      await finishCall(api.test.db, {
        callId: call.id,
        state: 'failed',
        detail: 'overloaded',
        costMicros: 0n,
      });
      await cancelTask(deps(), { taskId: id, accountId: owner.id });
    }
  };
  const race = async (id: string, i: number) => {
    const [outcome] = await Promise.all([
      cancelTask(deps(), { taskId: id, accountId: owner.id }),
      work(id, i),
    ]);
    return outcome;
  };
  // More of them at once would wait longer for a connection than the product lets anyone wait.
  for (let from = 0; from < ids.length; from += RACES) {
    const outcomes = await Promise.all(ids.slice(from, from + RACES).map(race));
    expect(outcomes).not.toContain('unknown');
  }
  const mine = `id = ANY ('{${ids.join(',')}}')`;
  expect(await count(`tasks WHERE ${mine} AND status = 'failed'`)).toBe(1_000);
  expect(await count(`webhook_deliveries WHERE task_${mine}`)).toBe(1_000);
  expect(
    await count(`abandoned_calls a JOIN provider_calls c ON c.id = a.call_id WHERE c.task_${mine}`),
  ).toBe(0);
});
