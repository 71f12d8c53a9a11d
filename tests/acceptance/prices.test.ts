import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readMoney } from './support/product/accounts.js';
import { query } from './support/product/database.js';
import { type Customer, openSharedScene, type Scene } from './support/scene.js';

let scene: Scene;
let customer: Customer;

beforeAll(async () => {
  scene = await openSharedScene();
  customer = await scene.customer('5.00');
}, 700_000);
afterAll(() => scene.audit());

describe('a completed task costs', () => {
  // One of each model: the test of the built-in document has every price.
  test.each([
    ['nanobanana', '2k', 2, '$0.0200'],
    ['nanobanana-pro', '4k', 4, '$0.1280'],
  ])('%s at %s with %i outputs: %s × images', async (model, resolution, outputs, cost) => {
    const task = await customer.client.run({
      model,
      resolution,
      num_outputs: outputs,
      prompt: 'sandbox:fixed',
    });
    expect([task.status, task.model, task.cost, task.output?.urls.length]).toEqual([
      'completed',
      model,
      cost,
      outputs,
    ]);
  });

  test('the same when it edits', async () => {
    const first = await customer.client.run({ prompt: 'sandbox:fixed' });
    const edit = {
      model: 'nanobanana-pro',
      resolution: '4k',
      prompt: 'sandbox:fixed',
      image_urls: [first.output?.url],
    };
    expect(await customer.client.run(edit)).toMatchObject({
      type: 'image_edit',
      status: 'completed',
      cost: '$0.0320',
    });
  });
});

describe('output', () => {
  test('output of images is numbered from 0 without gaps, the first one also as url', async () => {
    const { id, output } = await customer.client.run({ prompt: 'sandbox:fixed', num_outputs: 4 });
    const indexes = output?.urls.map(
      (url) => new RegExp(`/images/${id}/(\\d+)\\.(png|jpg|jpeg|webp)$`).exec(url)?.[1],
    );
    expect(indexes).toEqual(['0', '1', '2', '3']);
    expect(output?.url).toBe(output?.urls[0]);
  });
});

describe('defaults', () => {
  test('one image in 16:9 at 1k when nothing else is asked', async () => {
    const plain = await customer.client.run({ prompt: 'a quiet harbour' });
    const told = await customer.client.run({
      prompt: 'a quiet harbour',
      num_outputs: 1,
      aspect_ratio: '16:9',
      resolution: '1k',
    });
    const size = 'SELECT width, height FROM task_outputs WHERE task_id = $1';
    expect(await query(scene.product, size, [plain.id])).toEqual(await query(scene.product, size, [told.id]));
    expect([plain.cost, plain.output?.urls.length]).toEqual(['$0.0100', 1]);
  });

  test('the price is held from submit on and charged once at the end', async () => {
    const buyer = await scene.customer('1.00');
    const task = await buyer.client.generate({ prompt: 'sandbox:fixed sandbox:delay=4000', num_outputs: 4 });
    expect(await readMoney(scene.product, buyer.id)).toEqual({ balance: '$1.0000', held: '$0.0400' });
    await buyer.client.finished(task.data.id);
    expect(await readMoney(scene.product, buyer.id)).toEqual({ balance: '$0.9600', held: '$0.00' });
  });
});
