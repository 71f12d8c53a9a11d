import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { query } from './support/product/database.js';
import { mustGateway } from './support/product/gateway.js';
import { allowedPort } from './support/product/shared-product.js';
import { type Customer, openSharedScene, type Scene } from './support/scene.js';
import { type Receiver, startReceiver } from './support/servers/receiver.js';
import { expectSigned } from './support/verify-webhook.js';

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

const readDelivery = async (task: string) =>
  (
    await query<{ id: string; state: string; last_status: number | null }>(
      scene.product,
      'SELECT id, state, last_status FROM webhook_deliveries WHERE task_id = $1',
      [task],
    )
  )[0];
const hasArrived = (task: string) =>
  eventually(async () =>
    expect(await readDelivery(task)).toMatchObject({ state: 'delivered', last_status: 200 }),
  );

test('a delivery is repeated after a 500 and after silence with the same id and body and a fresh time and signature, until 2xx, and again when an operator resends it', async () => {
  receiver.answer('/hook', 500, 'hang', 200);
  const webhook_url = receiver.url('/hook');
  const task = await customer.client.run({ prompt: 'sandbox:fixed', webhook_url });
  await receiver.arrived('/hook', 3, 20_000);
  await hasArrived(task.id);
  const id = (await readDelivery(task.id))?.id ?? '';
  await mustGateway(scene.product, 'webhook', 'resend', id);
  const calls = await receiver.arrived('/hook', 4);
  for (const call of calls) {
    expect(expectSigned(call, customer.webhookSecret).data).toEqual(task);
  }
  expect(new Set(calls.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]));
  expect(new Set(calls.map(({ raw }) => raw.toString())).size).toBe(1);
  const times = calls.map(({ headers }) => Number(headers['webhook-timestamp']));
  expect([...times].sort()).toEqual(times);
  // Seconds of silence lie between the second one and the third.
  expect(times[2]).toBeGreaterThan(times[1] ?? 0);
  await hasArrived(task.id);
  expect(receiver.deliveries('/hook')).toHaveLength(4);
});
