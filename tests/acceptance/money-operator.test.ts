import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readMoney } from './support/product/accounts.js';
import { gateway, mustGateway } from './support/product/gateway.js';
import { type Customer, openSharedScene, type Scene } from './support/scene.js';

interface Failure {
  error: { code: string; message: string };
}

let scene: Scene;
let customer: Customer;

beforeAll(async () => {
  scene = await openSharedScene();
  customer = await scene.customer('1.00');
}, 700_000);
afterAll(() => scene.audit());

const must = (...args: string[]) => mustGateway(scene.product, ...args);
const mustFail = async (...args: string[]) => {
  const { code, value } = await gateway<Failure>(scene.product, args);
  expect(code).toBe(1);
  expect(value).toEqual({ error: { code: expect.any(String), message: expect.any(String) } });
};
const balance = async (of = customer) => (await readMoney(scene.product, of.id)).balance;

describe('account credit', () => {
  test('account credit adds the amount once for each reference, also when five run at once', async () => {
    const buyer = await scene.customer('1.00');
    const credit = () =>
      must('account', 'credit', buyer.id, '--amount', '0.50', '--reference', `ref-${buyer.id}`);
    await Promise.all(Array.from({ length: 5 }, credit));
    expect(await balance(buyer)).toBe('$1.5000');
    await mustFail('account', 'credit', buyer.id, '--amount', '0.60', '--reference', `ref-${buyer.id}`);
    await mustFail('account', 'credit', customer.id, '--amount', '0.50', '--reference', `ref-${buyer.id}`);
    expect(await balance(buyer)).toBe('$1.5000');
  });

  test('account credit refuses amounts that are no positive decimals with at most six places', async () => {
    const amounts = ['0', '-1', '1e3', 'x', '0.0000001', ''];
    await Promise.all(
      amounts.map((amount) => mustFail('account', 'credit', customer.id, `--amount=${amount}`)),
    );
  });

  test('account credit refuses an account that does not exist', async () => {
    await mustFail('account', 'credit', 'acc_none', '--amount', '1.00');
  });
});

describe('account adjust', () => {
  test('account adjust moves the balance both ways, to the millionth of a dollar, and never below what is held', async () => {
    const buyer = await scene.customer('0.10');
    await must('account', 'adjust', buyer.id, '--amount', '+0.000001', '--reason', 'rounding');
    expect(await balance(buyer)).toBe('$0.100001');
    await must('account', 'adjust', buyer.id, '--amount=-0.050001', '--reason', 'correction');
    expect(await balance(buyer)).toBe('$0.0500');
    const held = await buyer.client.generate({ prompt: 'sandbox:fixed sandbox:delay=25000', num_outputs: 4 });
    await mustFail('account', 'adjust', buyer.id, '--amount=-0.02', '--reason', 'too much');
    await must('task', 'fail', held.data.id, '--reason', 'freed');
    await must('account', 'adjust', buyer.id, '--amount=-0.02', '--reason', 'no longer too much');
    expect(await balance(buyer)).toBe('$0.0300');
  });
});

describe('task refund', () => {
  test('task refund gives back all of the cost, once', async () => {
    const buyer = await scene.customer('0.10');
    const task = await buyer.client.run({ prompt: 'sandbox:fixed', num_outputs: 3 });
    expect(await balance(buyer)).toBe('$0.0700');
    await must('task', 'refund', task.id, '--reason', 'blurred');
    await gateway(scene.product, ['task', 'refund', task.id, '--reason', 'blurred']);
    expect(await balance(buyer)).toBe('$0.1000');
    expect(await buyer.client.task(task.id)).toEqual(task);
  });

  test('task refund is refused for a task that cost nothing or does not exist', async () => {
    const failed = await customer.client.run({ prompt: 'sandbox:fail=moderation' });
    await mustFail('task', 'refund', failed.id, '--reason', 'x');
    await mustFail('task', 'refund', 'gen_none', '--reason', 'x');
  });
});

describe('task fail', () => {
  test("task fail ends an open task at $0.00 with the operator's own text, and is refused for a finished one", async () => {
    const buyer = await scene.customer('0.10');
    const { data } = await buyer.client.generate({ prompt: 'sandbox:fixed sandbox:delay=25000' });
    await must('task', 'fail', data.id, '--reason', 'stopped at your wish');
    expect(await buyer.client.task(data.id)).toMatchObject({
      status: 'failed',
      error: 'stopped at your wish',
      cost: '$0.00',
    });
    await mustFail('task', 'fail', data.id, '--reason', 'again');
    expect(await readMoney(scene.product, buyer.id)).toEqual({ balance: '$0.1000', held: '$0.00' });
  });
});

describe('the ledger', () => {
  test('the ledger is found in order by ledger check while work goes on', async () => {
    expect((await gateway(scene.product, ['ledger', 'check'])).code).toBe(0);
  });
});
