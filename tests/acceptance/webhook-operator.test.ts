import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { gateway, mustGateway } from './support/product/gateway.js';
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

const run = (path: string) =>
  customer.client.run({ prompt: 'sandbox:fixed', webhook_url: receiver.url(path) });
const rotate = () =>
  mustGateway<{ id: string; webhook_secret: string }>(
    scene.product,
    'account',
    'rotate-webhook-secret',
    customer.id,
  );

describe('webhook resend', () => {
  test('webhook resend sends the same id and body again, freshly signed, also for one that was given up', async () => {
    receiver.answer('/resend', 410, 200);
    const task = await run('/resend');
    await receiver.arrived('/resend');
    const list = () =>
      mustGateway<{ id: string; state: string }[]>(scene.product, 'webhook', 'list', '--task', task.id);
    const failed = await eventually(async () => {
      const [one] = await list();
      if (one?.state !== 'failed') {
        throw new Error(`the delivery is ${one?.state}`);
      }
      return one;
    });
    // Timestamps are whole seconds: the second delivery has to fall into another one.
    const sentAt = Number((await receiver.arrived('/resend'))[0]?.headers['webhook-timestamp']);
    await eventually(() => expect(Date.now() / 1_000).toBeGreaterThan(sentAt + 1));
    await mustGateway(scene.product, 'webhook', 'resend', failed.id);
    const [first, second] = await receiver.arrived('/resend', 2);
    expect(expectSigned(second, customer.webhookSecret).data).toEqual(task);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second?.raw.equals(first?.raw ?? Buffer.alloc(0))).toBe(true);
    expect(Number(second?.headers['webhook-timestamp'])).toBeGreaterThan(
      Number(first?.headers['webhook-timestamp']),
    );
    await eventually(async () => expect((await list())[0]?.state).toBe('delivered'));
  });

  test('webhook resend is refused for a delivery that does not exist', async () => {
    expect((await gateway(scene.product, ['webhook', 'resend', 'msg_none'])).code).toBe(1);
  });
});

describe('rotating the secret', () => {
  test('signs with the new and the one before it, and never with an older one', async () => {
    const first = customer.webhookSecret;
    const second = (await rotate()).webhook_secret;
    expect(second).toMatch(/^whsec_/);
    await run('/rotated');
    const [once] = await receiver.arrived('/rotated');
    if (once === undefined) {
      throw new Error('no delivery');
    }
    expect([...signaturesIn(once)].sort()).toEqual(
      [computeSignature(once, first), computeSignature(once, second)].sort(),
    );
    for (const secret of [first, second]) {
      expectSigned(once, secret);
    }

    const third = (await rotate()).webhook_secret;
    await run('/rotated-twice');
    const [twice] = await receiver.arrived('/rotated-twice');
    if (twice === undefined) {
      throw new Error('no delivery');
    }
    expect([...signaturesIn(twice)].sort()).toEqual(
      [computeSignature(twice, second), computeSignature(twice, third)].sort(),
    );
    customer.webhookSecret = third;
  });
});
