import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectError } from './support/expect-error.js';
import { newKey, readMoney } from './support/product/accounts.js';
import { mustGateway } from './support/product/gateway.js';
import { type Customer, openSharedScene, type Scene } from './support/scene.js';

let scene: Scene;
let customer: Customer;

beforeAll(async () => {
  scene = await openSharedScene();
  customer = await scene.customer();
}, 700_000);
afterAll(() => scene.audit());

const fields = { prompt: 'sandbox:fixed' };
const submit = (key: string, body: Record<string, unknown> = fields, by = customer) =>
  by.client.generate(body, { 'idempotency-key': key });

describe('a repeated submission with the same Idempotency-Key', () => {
  test('a repeated submission with the same Idempotency-Key gets the original 202 body, marked as replayed, also after the task is done', async () => {
    const key = randomUUID();
    const first = await submit(key);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    await customer.client.finished(first.data.id);
    const again = await submit(key);
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([202, 'true']);
    expect(again.body.toString()).toBe(first.body.toString());
    expect(again.headers.location).toBe(first.headers.location);
  });

  test('a repeated submission with the same Idempotency-Key and another body is BAD_REQUEST and makes no task', async () => {
    const key = randomUUID();
    await submit(key);
    const { pagination } = await customer.client.tasks('?per_page=1');
    expectError(await submit(key, { prompt: 'sandbox:fixed else' }), 400, 'BAD_REQUEST');
    expectError(await submit(key, { ...fields, num_outputs: 2 }), 400, 'BAD_REQUEST');
    expect((await customer.client.tasks('?per_page=1')).pagination).toEqual(pagination);
  });

  test('a repeated submission with the same Idempotency-Key is the same whatever its spacing, its order, its defaults, its nulls and its unknown fields', async () => {
    const key = randomUUID();
    const first = await submit(key);
    const { id } = first.data;
    const variants = [
      '{\n  "prompt": "sandbox:fixed",\n  "model": "nanobanana"\n}',
      '{"prompt":"sandbox:fixed","model":"nanobanana","num_outputs":1,"aspect_ratio":"16:9","resolution":"1k"}',
      '{"prompt":"sandbox:\\u0066ixed","model":"nanobanana","webhook_url":null,"note":"unknown"}',
    ];
    for (const body of variants) {
      const headers = { 'content-type': 'application/json', 'idempotency-key': key };
      const answer = await customer.client.call<{ id: string }>('POST', '/v1/generate', { body, headers });
      expect([answer.status, answer.data.id, answer.headers['idempotent-replayed']]).toEqual([
        202,
        id,
        'true',
      ]);
    }
  });

  test('a repeated submission with the same Idempotency-Key holds the money once', async () => {
    const buyer = await scene.customer('1.00');
    const body = { prompt: 'sandbox:fixed sandbox:delay=2000' };
    for (let i = 0; i < 4; i += 1) {
      await submit('once', body, buyer);
    }
    expect((await readMoney(scene.product, buyer.id)).held).toBe('$0.0100');
  });

  test('thirty at once with money for one: 30 × 202, one task, one charge', async () => {
    const buyer = await scene.customer('0.01');
    const answers = await Promise.all(Array.from({ length: 30 }, () => submit('race', fields, buyer)));
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(202));
    expect(new Set(answers.map(({ body }) => body.toString())).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
    await buyer.client.finished(answers[0]?.data.id ?? '');
    expect((await buyer.client.tasks()).pagination.total).toBe(1);
    expect(await readMoney(scene.product, buyer.id)).toEqual({ balance: '$0.00', held: '$0.00' });
  });

  test('at once with two bodies: one body wins, the other is BAD_REQUEST', async () => {
    const buyer = await scene.customer('1.00');
    const prompts = Array.from({ length: 20 }, (_, i) => `sandbox:fixed ${i % 2}`);
    const answers = await Promise.all(prompts.map((prompt) => submit('bodies', { prompt }, buyer)));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array(10).fill(202),
      ...Array(10).fill(400),
    ]);
    expect((await buyer.client.tasks()).pagination.total).toBe(1);
  });
});

describe('a key', () => {
  test('a key is bound by a 202 only: refused for lack of money, it works after a top-up', async () => {
    const buyer = await scene.customer('0');
    expectError(await submit('top-up', fields, buyer), 403, 'INSUFFICIENT_BALANCE');
    await mustGateway(scene.product, 'account', 'credit', buyer.id, '--amount', '0.01');
    const answer = await submit('top-up', fields, buyer);
    expect([answer.status, answer.headers['idempotent-replayed']]).toEqual([202, undefined]);
  });

  test('a key is not bound by a body that was refused', async () => {
    const key = randomUUID();
    expectError(await submit(key, { prompt: '' }), 400, 'VALIDATION_ERROR');
    expect((await submit(key)).status).toBe(202);
  });

  test('a key is not refused a replay because the money is gone since', async () => {
    const buyer = await scene.customer('0.01');
    const first = await submit('gone', fields, buyer);
    await buyer.client.finished(first.data.id);
    expect((await submit('gone', fields, buyer)).data.id).toBe(first.data.id);
  });

  test('a key belongs to the account: another account has its own, another API key of the account shares it', async () => {
    const key = randomUUID();
    const stranger = await scene.customer();
    const mine = await submit(key);
    const theirs = await submit(key, { prompt: 'sandbox:fixed of another' }, stranger);
    expect([theirs.status, theirs.headers['idempotent-replayed']]).toEqual([202, undefined]);
    expect(theirs.data.id).not.toBe(mine.data.id);
    const second = scene.caller((await newKey(scene.product, customer.id)).key);
    expect((await second.generate(fields, { 'idempotency-key': key })).data.id).toBe(mine.data.id);
  });

  test('a key is minded on submission only', async () => {
    const headers = { 'idempotency-key': 'x'.repeat(300) };
    expect((await customer.client.call('GET', '/v1/tasks', { headers })).status).toBe(200);
  });

  test.each(['x', '!~', 'x'.repeat(255), 'a,b:c"d'])(
    'a key of visible ASCII is accepted: %.20s',
    async (key) => {
      expect((await submit(key)).status).toBe(202);
    },
  );

  test('a key that stands there twice is BAD_REQUEST', async () => {
    expectError(
      await customer.client.generate(fields, { 'idempotency-key': ['a', 'b'] }),
      400,
      'BAD_REQUEST',
    );
  });

  test.each(['', ' ', 'a b', 'x'.repeat(256), 'schlüssel', 'a\tb'])(
    'a key of other characters or length is BAD_REQUEST: %.20j',
    async (key) => {
      expectError(await submit(key), 400, 'BAD_REQUEST');
    },
  );
});
