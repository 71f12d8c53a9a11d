import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readMoney } from './support/product/accounts.js';
import { gateway, mustGateway } from './support/product/gateway.js';
import { openSharedScene, type Scene } from './support/scene.js';

let scene: Scene;
beforeAll(async () => {
  scene = await openSharedScene();
}, 700_000);
afterAll(() => scene.audit());

test('operators credit, adjust, fail and refund beside the work that goes on, and the ledger is in order', async () => {
  const buyer = await scene.customer('0.10');
  const must = (...args: string[]) => mustGateway(scene.product, ...args);
  const money = () => readMoney(scene.product, buyer.id);

  await must('account', 'credit', buyer.id, '--amount', '0.50', '--reference', `ref-${buyer.id}`);
  await must('account', 'adjust', buyer.id, '--amount=-0.550001', '--reason', 'correction');
  const held = await buyer.client.generate({ prompt: 'sandbox:fixed sandbox:delay=25000', num_outputs: 4 });
  expect(await money()).toEqual({ balance: '$0.049999', held: '$0.0400' });
  const adjust = ['account', 'adjust', buyer.id, '--amount=-0.01', '--reason', 'more than is free'];
  const { code, value } = await gateway(scene.product, adjust);
  expect([code, value]).toEqual([
    1,
    { error: { code: 'INSUFFICIENT_BALANCE', message: expect.any(String) } },
  ]);

  await must('task', 'fail', held.data.id, '--reason', 'stopped at your wish');
  expect(await buyer.client.task(held.data.id)).toMatchObject({
    status: 'failed',
    error: 'stopped at your wish',
    cost: '$0.00',
  });
  const task = await buyer.client.run({ prompt: 'sandbox:fixed', num_outputs: 3 });
  expect(await money()).toEqual({ balance: '$0.019999', held: '$0.00' });
  await must('task', 'refund', task.id, '--reason', 'blurred');
  expect(await money()).toEqual({ balance: '$0.049999', held: '$0.00' });
  expect(await buyer.client.task(task.id)).toEqual(task);
  expect((await gateway(scene.product, ['ledger', 'check'])).code).toBe(0);
});
