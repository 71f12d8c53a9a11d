import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { allowedPort } from './support/product/shared-product.js';
import { type Customer, openSharedScene, type Scene } from './support/scene.js';
import { referenceInPython } from './support/servers/python-reference.js';
import { type Receiver, startReceiver } from './support/servers/receiver.js';

const python = await referenceInPython();
if (typeof python === 'string') {
  process.stderr.write(`Not checked with the Python library standardwebhooks: ${python}\n`);
}

(typeof python === 'string' ? describe.skip : describe)('the signature of a webhook', () => {
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
    if (typeof python !== 'string') {
      python.remove();
    }
  });

  test('a webhook is accepted by the reference library for Python, and refused over a changed body', async () => {
    if (typeof python === 'string') {
      throw new Error(python);
    }
    await customer.client.run({ prompt: 'sandbox:fixed', webhook_url: receiver.url('/python') });
    const [delivery] = await receiver.arrived('/python');
    if (delivery === undefined) {
      throw new Error('no delivery');
    }
    expect(await python.verifies(delivery, customer.webhookSecret)).toBe(true);
    const changed = { ...delivery, raw: Buffer.concat([delivery.raw, Buffer.from(' ')]) };
    expect(await python.verifies(changed, customer.webhookSecret)).toBe(false);
  });
});
