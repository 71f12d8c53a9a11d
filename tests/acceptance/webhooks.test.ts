import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { query } from './support/product/database.js';
import { allowedPort } from './support/product/shared-product.js';
import { type Customer, openSharedScene, type Scene } from './support/scene.js';
import { type Receiver, startReceiver } from './support/servers/receiver.js';
import { computeSignature, expectSigned, signaturesIn } from './support/verify-webhook.js';

let scene: Scene;
let customer: Customer;
let receiver: Receiver;

beforeAll(async () => {
  scene = await openSharedScene();
  receiver = await startReceiver(await allowedPort());
  customer = await scene.customer();
}, 700_000);
afterAll(async () => {
  await scene.audit();
  await receiver.close();
});

const run = (path: string, prompt = 'sandbox:fixed', more: Record<string, unknown> = {}) =>
  customer.client.run({ prompt, webhook_url: receiver.url(path), ...more });

describe('a webhook', () => {
  test('a webhook of a completed task is signed, and its data is byte for byte what GET gives', async () => {
    const task = await run('/completed', 'sandbox:fixed', { num_outputs: 2 });
    const [delivery] = await receiver.arrived('/completed');
    const event = expectSigned(delivery, customer.webhookSecret);
    expect(Object.keys(event).sort()).toEqual(['data', 'timestamp', 'type']);
    expect(event.type).toBe('task.completed');
    expect(event.timestamp).toBe(task.completed_at);
    const seen = await customer.client.call('GET', `/v1/tasks/${task.id}`);
    const data = /^\{"data":(.*),"error":null\}$/s.exec(seen.body.toString())?.[1];
    expect(delivery?.raw.toString()).toContain(`"data":${data}`);
    expect(event.data).toEqual(task);
  });

  test('a webhook of a failed task says so', async () => {
    const task = await run('/failed', 'sandbox:fail=moderation');
    const [delivery] = await receiver.arrived('/failed');
    expect(expectSigned(delivery, customer.webhookSecret)).toMatchObject({ type: 'task.failed', data: task });
  });

  test('a webhook is a POST of JSON with the three Standard Webhooks headers, sent once when it is received well', async () => {
    await run('/once');
    const [delivery] = await receiver.arrived('/once');
    expect(delivery?.headers).toMatchObject({
      'content-type': expect.stringMatching(/^application\/json/),
      'webhook-id': expect.stringMatching(/^msg_[0-9A-Za-z]{22,}$/),
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[0-9A-Za-z+/]{43}=$/),
    });
    expect(Math.abs(Number(delivery?.headers['webhook-timestamp']) * 1_000 - Date.now())).toBeLessThan(
      30_000,
    );
    expect(delivery?.headers.authorization).toBeUndefined();
  });

  test('a webhook fits its bytes: one changed byte, another id or another time breaks the signature', async () => {
    await run('/tampered');
    const [delivery] = await receiver.arrived('/tampered');
    if (delivery === undefined) {
      throw new Error('no delivery');
    }
    const raw = Buffer.from(delivery.raw);
    raw[10] = (raw[10] ?? 0) ^ 1;
    const later = { ...delivery.headers, 'webhook-timestamp': '1700000000' };
    const other = { ...delivery.headers, 'webhook-id': 'msg_other' };
    for (const changed of [
      { ...delivery, raw },
      { ...delivery, headers: later },
      { ...delivery, headers: other },
    ]) {
      expect(signaturesIn(delivery)).not.toContain(computeSignature(changed, customer.webhookSecret));
    }
  });

  test("a webhook is signed with the own account's secret only", async () => {
    const other = await scene.customer();
    expect(other.webhookSecret).toMatch(/^whsec_[0-9A-Za-z+/]{32,}=*$/);
    expect(other.webhookSecret).not.toBe(customer.webhookSecret);
    await run('/own');
    const [delivery] = await receiver.arrived('/own');
    if (delivery === undefined) {
      throw new Error('no delivery');
    }
    expect(signaturesIn(delivery)).not.toContain(computeSignature(delivery, other.webhookSecret));
  });

  test('a webhook never comes before GET shows the same end', async () => {
    const submitted = await customer.client.generate({
      prompt: 'sandbox:fixed',
      webhook_url: receiver.url('/order'),
    });
    const [delivery] = await receiver.arrived('/order');
    const event = expectSigned(delivery, customer.webhookSecret);
    expect(await customer.client.task(submitted.data.id)).toEqual(event.data);
  });

  test('a webhook is not sent for a task that asked for none', async () => {
    const silent = await customer.client.run({ prompt: 'sandbox:fixed' });
    const asking = await run('/marker');
    await receiver.arrived('/marker');
    // Whatever address a delivery would have, it begins as a row.
    const rows = await query(
      scene.product,
      'SELECT task_id FROM webhook_deliveries WHERE task_id = ANY($1)',
      [[silent.id, asking.id]],
    );
    expect(rows).toEqual([{ task_id: asking.id }]);
  });

  test('a webhook goes once to each of fifty tasks, within 2 s of their end', async () => {
    const paths = Array.from({ length: 50 }, (_, index) => `/many/${index}`);
    const tasks = await Promise.all(paths.map((path) => run(path)));
    const all = await Promise.all(paths.map((path) => receiver.arrived(path)));
    const ids = all.map(([delivery]) => expectSigned(delivery, customer.webhookSecret).data.id);
    expect(ids).toEqual(tasks.map(({ id }) => id));
    expect(new Set(all.map(([delivery]) => delivery?.headers['webhook-id'])).size).toBe(50);
    const delays = all.map(([delivery], i) => (delivery?.at ?? 0) - Date.parse(tasks[i]?.completed_at ?? ''));
    expect(Math.max(...delays)).toBeLessThan(2_000);
  });
});
