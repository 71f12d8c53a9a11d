import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { readMoney } from './support/product/accounts.js';
import { query } from './support/product/database.js';
import { type OwnProduct, startProduct } from './support/product/product.js';
import { fastSettings } from './support/product/settings.js';
import { type Customer, openScene, type Scene } from './support/scene.js';

const TASKS = 24;
const settings = { ...fastSettings, TASK_DEADLINE_MS: '90000', RETRY_BACKOFF: '4,8,12' };
const args = ['--workers', '2'];
let folder: string;
let seller: OwnProduct;
let reseller: OwnProduct;
let sellerScene: Scene;
let resellerScene: Scene;
let wholesale: Customer;

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'chain-'));
  seller = await startProduct({ settings, args });
  sellerScene = await openScene(seller);
  wholesale = await sellerScene.customer();
  const file = path.join(folder, 'catalog.yaml');
  const provider = {
    protocol: 'task',
    preset: 'image-gateway',
    // Results have the default address of a gateway, and plain HTTP is taken from the host of the API only.
    base_url: `${seller.url.replace('127.0.0.1', 'localhost')}/v1`,
    key_env: 'SELLER_KEYS',
  };
  const routes = [{ provider: 'seller', model: 'nanobanana', cost: { '1k': '0.0090' } }];
  const models = { resold: { types: ['image_generate'], price: { '1k': '0.0200' }, routes } };
  writeFileSync(file, JSON.stringify({ providers: { seller: provider }, models }));
  reseller = await startProduct({
    settings: { ...settings, CATALOG_FILE: file, SELLER_KEYS: wholesale.key },
    args,
  });
  resellerScene = await openScene(reseller);
}, 900_000);
afterAll(async () => {
  try {
    await resellerScene.audit();
    await sellerScene.audit();
  } finally {
    await reseller.discard();
    await seller.discard();
    rmSync(folder, { recursive: true });
  }
});

const kill = (product: OwnProduct, which: 'api' | 'workers'): void => {
  const { api, generationWorkers } = product.run();
  for (const { pid } of which === 'api' ? [api] : generationWorkers) {
    process.kill(pid, 'SIGKILL');
  }
};

describe('two gateways in a chain', () => {
  test('two gateways in a chain under kills on both sides buy nothing twice, and the books of both are exact', async () => {
    const customer = await resellerScene.customer();
    const submitted = await Promise.all(
      Array.from({ length: TASKS }, async (_, index) => {
        const prompt = `picture ${index} sandbox:delay=1500`;
        const { data } = await customer.client.generate({ model: 'resold', prompt });
        return data.id;
      }),
    );
    const sold = 'SELECT id FROM tasks WHERE account_id = $1';
    await eventually(async () => expect(await query(seller, sold, [wholesale.id])).not.toHaveLength(0));
    kill(reseller, 'workers');
    kill(seller, 'api');
    await eventually(
      async () => expect((await query(seller, sold, [wholesale.id])).length).toBeGreaterThan(8),
      {
        withinMs: 60_000,
      },
    );
    kill(seller, 'workers');

    const tasks = await Promise.all(submitted.map((id) => customer.client.finished(id, 150_000)));
    expect(tasks.map(({ status, cost }) => ({ status, cost }))).toEqual(
      tasks.map(() => ({ status: 'completed', cost: '$0.0200' })),
    );
    // Each image was bought once, and what the seller charged is what it cost the reseller.
    const bought = await query<{ prompt: string; status: string }>(
      seller,
      'SELECT prompt, status FROM tasks WHERE account_id = $1',
      [wholesale.id],
    );
    expect(bought).toHaveLength(TASKS);
    expect(new Set(bought.map(({ prompt }) => prompt)).size).toBe(TASKS);
    const [costs] = await query<{ micros: string }>(
      reseller,
      "SELECT sum(cost_micros)::text AS micros FROM provider_calls WHERE provider = 'seller'",
      [],
    );
    expect(costs?.micros).toBe(String(TASKS * 10_000));
    expect(await readMoney(seller, wholesale.id)).toEqual({ balance: '$9.7600', held: '$0.00' });
    expect(await readMoney(reseller, customer.id)).toEqual({ balance: '$9.5200', held: '$0.00' });
  }, 240_000);

  test('a refusal of the seller is one of the reseller, and costs nobody anything', async () => {
    const before = await readMoney(seller, wholesale.id);
    const customer = await resellerScene.customer();
    const task = await customer.client.run({ model: 'resold', prompt: 'sandbox:fail=moderation' });
    expect(task).toMatchObject({
      status: 'failed',
      cost: '$0.00',
      error: 'The request was rejected by content moderation.',
    });
    expect(await readMoney(seller, wholesale.id)).toEqual(before);
  });

  test('a task that is canceled at the reseller is canceled at the seller', async () => {
    const customer = await resellerScene.customer();
    const { data } = await customer.client.generate({
      model: 'resold',
      prompt: 'to be canceled sandbox:delay=60000',
    });
    const sql = "SELECT status FROM tasks WHERE account_id = $1 AND prompt LIKE 'to be canceled%'";
    await eventually(async () => expect(await query(seller, sql, [wholesale.id])).toHaveLength(1));
    await query(reseller, "UPDATE tasks SET deadline_at = now() + interval '1 second' WHERE id = $1", [
      data.id,
    ]);
    expect(await customer.client.finished(data.id, 60_000)).toMatchObject({
      status: 'failed',
      cost: '$0.00',
    });
    const canceled = 'SELECT cancel_requested_at FROM tasks WHERE account_id = $1 AND prompt LIKE $2';
    await eventually(
      async () =>
        expect(await query(seller, canceled, [wholesale.id, 'to be canceled%'])).toEqual([
          { cancel_requested_at: expect.any(Date) },
        ]),
      { withinMs: 60_000 },
    );
  });
});
