import { createOutbound, OutboundError, type PostRequest } from '@image-gateway/shared/outbound';
import { newWebhookSecret } from '@image-gateway/shared/webhooks';
import { startReceiver } from '@image-gateway/testing';
import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { postWebhook } from './post-webhook.js';

const signal = new AbortController().signal;
const delivery = {
  accountId: 'acc_1',
  id: 'msg_0123456789abcdefghijkl',
  source: 'task' as const,
  taskId: 'gen_x',
  requestId: 'req_1',
  traceparent: null,
  attempt: 1,
  url: 'https://hooks.example/path?secret=1',
  hostPort: 'hooks.example:443',
  body: '{"type":"task.completed","text":"ü – 猫"}',
  secrets: [newWebhookSecret(), newWebhookSecret()],
  claimedAtSeconds: Math.floor(Date.now() / 1000),
  lateMs: 0,
  nameNotFoundCount: 0,
  nameNotFoundForMs: 0,
};
const answering = (answer: () => { status: number; headers: Record<string, string> }) => {
  const requests: PostRequest[] = [];
  const postBytes = async (request: PostRequest) => {
    requests.push(request);
    return { ...answer(), bodyStart: Buffer.alloc(0) };
  };
  return { requests, deps: { outbound: { postBytes }, timeoutMs: 15_000, now: Date.now } };
};
const failing = (error: Error) =>
  answering(() => {
    throw error;
  });

describe('posting a webhook', () => {
  test('the standardwebhooks library accepts the very bytes that were sent, with either secret', async () => {
    const { requests, deps } = answering(() => ({ status: 200, headers: {} }));
    await postWebhook(deps, delivery, signal);
    const [request] = requests;
    const body = request?.body.toString() ?? '';
    expect(body).toBe(delivery.body);
    expect(request?.headers['content-type']).toBe('application/json');
    expect(request?.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const secret of delivery.secrets) {
      expect(() => new Webhook(secret).verify(body, { ...request?.headers })).not.toThrow();
    }
    expect(() => new Webhook(newWebhookSecret()).verify(body, { ...request?.headers })).toThrow();
  });

  test('accounts share the connection to a receiver', async () => {
    const receiver = await startReceiver();
    const outbound = createOutbound({ allow: new Set([receiver.hostPort]) });
    try {
      for (const accountId of ['acc_1', 'acc_2', 'acc_1']) {
        const posted = { ...delivery, accountId, url: `${receiver.url}/${accountId}` };
        const deps = { outbound, timeoutMs: 15_000, now: Date.now };
        expect(await postWebhook(deps, posted, signal)).toMatchObject({ status: 200 });
      }
      expect(receiver.requests.map(({ path }) => path)).toEqual(['/acc_1', '/acc_2', '/acc_1']);
      expect(receiver.connections()).toBe(1);
    } finally {
      await receiver.close();
    }
  });

  test('any status is an answer, with what the receiver wishes', async () => {
    const { deps } = answering(() => ({ status: 429, headers: { 'retry-after': '3' } }));
    expect(await postWebhook(deps, delivery, signal)).toEqual({
      kind: 'response',
      status: 429,
      retryAfterSeconds: 3,
    });
  });

  test.each([
    ['refused-address', 'address not allowed', true],
    ['bad-url', 'address not allowed', true],
    ['timeout', 'timed out', false],
    ['dns', 'connection failed', false],
    ['connect', 'connection failed', false],
    ['tls', 'connection failed', false],
    ['broken', 'connection failed', false],
    ['too-large', 'connection failed', false],
  ] as const)('%s becomes the generic words "%s"', async (reason, error, final) => {
    const { deps } = failing(new OutboundError(reason, 'the call to 10.0.0.1:22 failed'));
    expect(await postWebhook(deps, delivery, signal)).toEqual({ kind: 'no-response', error, final });
  });

  test.each([
    ['ENOTFOUND', 'name not found'],
    ['ENODATA', 'connection failed'],
    ['ESERVFAIL', 'connection failed'],
    ['ETIMEOUT', 'connection failed'],
  ])('name servers that say %s become the words "%s"', async (code, error) => {
    const cause = Object.assign(new Error('query'), { code });
    const { deps } = failing(new OutboundError('dns', 'x', { cause }));
    expect(await postWebhook(deps, delivery, signal)).toEqual({ kind: 'no-response', error, final: false });
  });

  test('being cut by ourselves is no fault of the receiver', async () => {
    const { deps } = failing(new OutboundError('aborted', 'x'));
    expect(await postWebhook(deps, delivery, signal)).toEqual({ kind: 'stopped' });
  });

  test('a fault of our own is thrown', async () => {
    const { deps } = answering(() => ({ status: 200, headers: {} }));
    await expect(postWebhook(deps, { ...delivery, secrets: [] }, signal)).rejects.toThrow(RangeError);
  });
});
