import { claimDeliveries, claimTests, finishDelivery, finishTest } from '@image-gateway/shared/db';
import { type Receiver, startReceiver } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { finishTask } from '../support/finish-task.js';
import { startApi, type TestApi } from '../support/start-api.js';
import { newOwner, type Owner, toAccount } from './support/people.js';

let receiver: Receiver;
let api: TestApi;
let owner: Owner;
beforeAll(async () => {
  receiver = await startReceiver((response) => {
    response.statusCode = 201;
    response.end('taken');
  });
  api = await startApi({ AUTH_SECRET: 'x'.repeat(32), OUTBOUND_ALLOW: receiver.hostPort });
  owner = await newOwner(api);
});
afterAll(async () => {
  await api.stop();
  await receiver.close();
});

const readSecret = async () =>
  (await owner.get('/webhooks/secret')).data as { secret: string; previous_until: string | null };

describe('deliveries', () => {
  test('show how each attempt ended, newest first, and can be sent again', async () => {
    const account = toAccount(owner);
    const task = await finishTask(api, account, { request: { webhook_url: `${receiver.url}/hook` } });
    const find = async () => {
      const { items } = (await owner.get('/webhooks')).data as { items: Record<string, unknown>[] };
      return items.find((item) => item.task_id === task.id) ?? {};
    };
    const id = String((await find()).id);
    const { db } = api.test;
    for (const [status, error] of [
      [500, 'answered with 500'],
      [200, null],
    ] as const) {
      // The column rounds to milliseconds: a row of this moment may be due half a millisecond later.
      await api.test.pool.query(
        "UPDATE webhook_deliveries SET next_attempt_at = now() - interval '1 second' WHERE id = $1",
        [id],
      );
      const [claimed] = await claimDeliveries(db, [id], 10_000);
      const end =
        status === 200 ? { state: 'delivered' as const } : { state: 'pending' as const, delayMs: 0 };
      expect(await finishDelivery(db, { id, attempt: claimed?.attempt ?? 0, end, status, error })).toBe(true);
    }
    expect(await find()).toMatchObject({
      state: 'delivered',
      attempts: [
        { attempt: 2, status: 200, error: null },
        { attempt: 1, status: 500, error: 'answered with 500' },
      ],
    });
    expect((await owner.post(`/webhooks/${id}/resend`)).status).toBe(200);
    expect(await find()).toMatchObject({ id, state: 'pending', delivered_at: null });
    expect((await owner.get('/webhooks?state=delivered')).data).toMatchObject({ pagination: { total: 0 } });
    expect((await owner.get('/webhooks?state=lost')).error?.code).toBe('BAD_REQUEST');
  });
});

describe('the secret', () => {
  test('the secret is shown, and rotating it says until when the old one signs too', async () => {
    const before = await readSecret();
    expect(before).toMatchObject({ secret: expect.stringMatching(/^whsec_/), previous_until: null });
    const { data } = await owner.post('/webhooks/secret/rotate');
    expect(data.secret).not.toBe(before.secret);
    expect(await readSecret()).toEqual(data);
    expect(Math.abs(Date.parse(String(data.previous_until)) - Date.now() - 24 * 3_600_000)).toBeLessThan(
      60_000,
    );
  });
});

describe('a test event', () => {
  test('a test event of the dashboard is left to the webhook worker, and its outcome is shown when it comes', async () => {
    const { status, data } = await owner.post('/webhooks/test', { url: `${receiver.url}/test` });
    const pending = { state: 'pending', status: null, error: null, ms: null };
    expect({ status, data }).toMatchObject({ status: 200, data: pending });
    const id = String(data.id);
    const { db } = api.test;
    const [claimed] = await claimTests(db, [id], 10_000);
    expect(claimed).toMatchObject({ accountId: owner.accountId, taskId: null, hostPort: receiver.hostPort });
    expect(claimed?.secrets).toEqual([(await readSecret()).secret, expect.any(String)]);
    expect(JSON.parse(claimed?.body ?? '')).toMatchObject({
      type: 'task.completed',
      data: { status: 'completed' },
    });
    expect((await owner.get(`/webhooks/tests/${id}`)).data).toMatchObject({ ...pending, state: 'sending' });
    const end = { state: 'failed' as const };
    expect(await finishTest(db, { id, attempt: 1, end, status: 500, error: 'answered 500' })).toBe(true);
    const outcome = {
      id,
      url: `${receiver.url}/test`,
      created_at: expect.any(String),
      state: 'failed',
      status: 500,
      error: 'answered 500',
      ms: expect.any(Number),
    };
    expect((await owner.get(`/webhooks/tests/${id}`)).data).toEqual(outcome);
    expect((await owner.get('/webhooks/tests')).data).toEqual([outcome]);
    expect((await (await newOwner(api)).get('/webhooks/tests')).data).toEqual([]);
    expect(receiver.requests).toEqual([]);
  });

  test('a test event of another account is unknown', async () => {
    const { data } = await owner.post('/webhooks/test', { url: receiver.url });
    const stranger = await newOwner(api);
    const { status, error } = await stranger.get(`/webhooks/tests/${String(data.id)}`);
    expect({ status, code: error?.code }).toEqual({ status: 404, code: 'NOT_FOUND' });
  });

  test('a test event is refused while five of the account have not ended, also when all come at once', async () => {
    const busy = await newOwner(api);
    const send = async () => (await busy.post('/webhooks/test', { url: receiver.url })).status;
    const statuses = await Promise.all(Array.from({ length: 8 }, send));
    expect(statuses.sort()).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    const { rows } = await api.test.pool.query<{ id: string }>(
      'SELECT id FROM webhook_tests WHERE account_id = $1',
      [busy.accountId],
    );
    expect(rows).toHaveLength(5);
    const [claimed] = await claimTests(api.test.db, [rows[0]?.id ?? ''], 10_000);
    const outcome = { attempt: 1, end: { state: 'delivered' as const }, status: 200, error: null };
    await finishTest(api.test.db, { id: claimed?.id ?? '', ...outcome });
    expect(await send()).toBe(200);
  });

  test.each(['http://127.0.0.1:1/', 'http://169.254.169.254/latest', 'ftp://a.example/', 'no url', ''])(
    'a test event is not sent to %p',
    async (url) => {
      const { status, error } = await owner.post('/webhooks/test', { url });
      expect({ status, code: error?.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' });
      expect(url.startsWith('http') ? error?.message : 'localhost').toContain('localhost');
    },
  );

  test('a test event is accepted a few times a minute only', async () => {
    const stranger = await newOwner(api);
    const statuses: number[] = [];
    for (let i = 0; i < 12; i++) {
      await api.test.pool.query('DELETE FROM webhook_tests');
      statuses.push((await stranger.post('/webhooks/test', { url: `${receiver.url}/many` })).status);
    }
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(11);
    expect(statuses.at(-1)).toBe(429);
  });
});
