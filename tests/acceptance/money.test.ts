import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectError } from './support/expect-error.js';
import { readMoney } from './support/product/accounts.js';
import { expectLiveInvariants } from './support/product/invariants.js';
import { openSharedScene, type Scene } from './support/scene.js';

let scene: Scene;

beforeAll(async () => {
  scene = await openSharedScene();
}, 700_000);
afterAll(() => scene.audit());

describe('the balance', () => {
  test('the balance of 123 images lets exactly 123 of 1,000 concurrent submissions through, and all of them are charged', async () => {
    const buyer = await scene.customer('1.23');
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, () => buyer.client.generate({ prompt: 'sandbox:fixed' })),
    );
    const accepted = answers.filter(({ status }) => status === 202);
    const refused = answers.filter(({ status }) => status !== 202);
    expect([accepted.length, refused.length]).toEqual([123, 877]);
    for (const answer of refused) {
      expectError(answer, 403, 'INSUFFICIENT_BALANCE');
    }
    await expectLiveInvariants(scene.product);
    for (const { data } of accepted) {
      expect(await buyer.client.finished(data.id, 60_000)).toMatchObject({ cost: '$0.0100' });
    }
    expect(await readMoney(scene.product, buyer.id)).toEqual({ balance: '$0.00', held: '$0.00' });
    const pages = await Promise.all([1, 2, 3].map((page) => buyer.client.tasks(`?page=${page}&per_page=50`)));
    const listed = pages.flatMap(({ items }) => items);
    expect(listed.map(({ id }) => id).sort()).toEqual(accepted.map(({ data }) => data.id).sort());
    const times = listed.map(({ created_at }) => created_at);
    expect(times).toEqual([...times].sort().reverse());
  });

  test('the balance must cover the whole request at submit, less what is held for others', async () => {
    const buyer = await scene.customer('0.025');
    const submit = (num_outputs: number) =>
      buyer.client.generate({ prompt: 'sandbox:fixed sandbox:delay=1500', num_outputs });
    expectError(await submit(3), 403, 'INSUFFICIENT_BALANCE');
    const second = await submit(2);
    expect(second.status).toBe(202);
    expectError(await submit(1), 403, 'INSUFFICIENT_BALANCE');
    await buyer.client.finished(second.data.id);
    expect(await readMoney(scene.product, buyer.id)).toEqual({ balance: '$0.0050', held: '$0.00' });
  });

  test('the balance of an account without money buys nothing', async () => {
    const buyer = await scene.customer('0');
    expectError(await buyer.client.generate({ prompt: 'sandbox:fixed' }), 403, 'INSUFFICIENT_BALANCE');
    expect((await buyer.client.tasks()).pagination.total).toBe(0);
  });
});

describe('a task that fails', () => {
  test.each([
    'sandbox:fail=moderation',
    'sandbox:fail=invalid',
    'sandbox:fail=upstream',
    'sandbox:outputs=0',
  ])('a task that fails by %s costs nothing, frees what was held and leaves no usage', async (prompt) => {
    const buyer = await scene.customer('0.04');
    const task = await buyer.client.run({ prompt, num_outputs: 4 });
    expect([task.status, task.cost, task.output]).toEqual(['failed', '$0.00', undefined]);
    expect(await readMoney(scene.product, buyer.id)).toEqual({ balance: '$0.0400', held: '$0.00' });
    expect((await buyer.client.usage()).items).toEqual([]);
    expect(await buyer.client.summary()).toEqual([]);
    expect((await buyer.client.generate({ prompt: 'sandbox:fixed', num_outputs: 4 })).status).toBe(202);
  });
});

describe('a task that brings fewer images than asked', () => {
  test('a task that brings fewer images than asked is completed with them and charged for them only', async () => {
    const buyer = await scene.customer('0.04');
    const task = await buyer.client.run({ prompt: 'sandbox:fixed sandbox:outputs=2', num_outputs: 4 });
    expect([task.status, task.cost, task.output?.urls.length]).toEqual(['completed', '$0.0200', 2]);
    expect(task.output?.urls.map((url) => /\/(\d)\.\w+$/.exec(url)?.[1])).toEqual(['0', '1']);
    expect(await readMoney(scene.product, buyer.id)).toEqual({ balance: '$0.0200', held: '$0.00' });
    const { items } = await buyer.client.usage();
    expect(items).toEqual([expect.objectContaining({ task_id: task.id, units: 2, cost: '$0.0200' })]);
    for (const url of task.output?.urls ?? []) {
      expect((await fetch(url)).status).toBe(200);
    }
  });
});
