import { claimDeliveries, finishDelivery } from '@image-gateway/shared/db';
import { type Receiver, startReceiver } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { finishTask } from '../support/finish-task.js';
import { startApi, type TestApi } from '../support/start-api.js';
import { newOwner, type Owner } from './support/people.js';

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

const secretOf = async () =>
  (await owner.get('/webhooks/secret')).data as { secret: string; previous_until: string | null };

describe('deliveries', () => {
  test('show how each attempt ended, newest first, and can be sent again', async () => {
    const account = { id: owner.accountId, apiKeyId: 'key_test', apiKey: '', webhookSecret: '' };
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
      await api.test.pool.query('UPDATE webhook_deliveries SET next_attempt_at = now() WHERE id = $1', [id]);
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
  test('is shown, and rotating it says until when the old one signs too', async () => {
    const before = await secretOf();
    expect(before).toMatchObject({ secret: expect.stringMatching(/^whsec_/), previous_until: null });
    const { data } = await owner.post('/webhooks/secret/rotate');
    expect(data.secret).not.toBe(before.secret);
    expect(await secretOf()).toEqual(data);
    expect(Math.abs(Date.parse(String(data.previous_until)) - Date.now() - 24 * 3_600_000)).toBeLessThan(
      60_000,
    );
  });
});

describe('a test event', () => {
  test('is signed like a real one, and its answer is told', async () => {
    const { status, data } = await owner.post('/webhooks/test', { url: `${receiver.url}/test` });
    expect({ status, data }).toMatchObject({ status: 200, data: { status: 201, error: null } });
    const request = receiver.requests.find(({ path }) => path === '/test');
    const { secret } = await secretOf();
    const body = request?.body ?? Buffer.alloc(0);
    const signed = new Webhook(secret).verify(body, request?.headers as Record<string, string>);
    expect(signed).toEqual(JSON.parse(body.toString()));
    expect(JSON.parse(body.toString())).toMatchObject({
      type: 'task.completed',
      data: { status: 'completed' },
    });
  });

  test.each(['http://127.0.0.1:1/', 'http://169.254.169.254/latest', 'ftp://a.example/', 'no url', ''])(
    'is not sent to %p',
    async (url) => {
      const { status, error } = await owner.post('/webhooks/test', { url });
      expect({ status, code: error?.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' });
    },
  );

  test('is sent a few times a minute only', async () => {
    const stranger = await newOwner(api);
    const statuses: number[] = [];
    for (let i = 0; i < 12; i++)
      statuses.push((await stranger.post('/webhooks/test', { url: `${receiver.url}/many` })).status);
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(11);
    expect(statuses.at(-1)).toBe(429);
  });
});
