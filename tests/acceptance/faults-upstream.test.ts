import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { expectLiveInvariants } from './support/product/invariants.js';
import { type OwnProduct, startProduct } from './support/product/product.js';
import { fastSettings } from './support/product/settings.js';
import { openScene, type Scene } from './support/scene.js';
import { startUpstreams, type Upstreams } from './support/servers/stub-upstreams.js';
import {
  everyCallIsConcluded,
  everyTaskHasEnded,
  expectCeilings,
  expectPaidImagesToBeKnown,
  quickFaults,
  readRows,
} from './support/upstream-faults.js';

let upstreams: Upstreams;
let product: OwnProduct;
let scene: Scene;

const TASKS = 60;

beforeAll(async () => {
  upstreams = await startUpstreams();
  const settings = { ...fastSettings, ...upstreams.settings('gemini', 'fal') };
  product = await startProduct({ settings });
  scene = await openScene(product);
}, 700_000);
afterAll(async () => {
  await product.discard();
  await upstreams.close();
});

// The same with killed workers and upstreams that hang, for minutes: faults-upstream-killed.
test('over two providers of which one call in six goes wrong every task ends, every image that was paid for is known, and no ceiling is passed', async () => {
  const customer = await scene.customer('10.00');
  await upstreams.behave({ gemini: quickFaults, fal: quickFaults, seed: 20261128 });
  const submit = (_: unknown, i: number) =>
    customer.client.generate({ prompt: `image number ${i} of a lighthouse`, num_outputs: 1 + (i % 4) });
  const answers = await Promise.all(Array.from({ length: TASKS }, submit));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
  await eventually(() => everyTaskHasEnded(product, customer.id), { everyMs: 200 });
  await eventually(() => everyCallIsConcluded(product, customer.id), { everyMs: 200 });
  await expectLiveInvariants(product);
  const rows = await readRows(product, customer.id);
  const calls = await upstreams.calls();
  expect(calls.filter(({ mode }) => mode !== 'ok').length).toBeGreaterThan(5);
  expect(rows.filter(({ status }) => status === 'completed').length).toBeGreaterThan(TASKS * 0.8);
  for (const row of rows) {
    await expectPaidImagesToBeKnown(product, row, calls);
  }
  await expectCeilings(product, customer.id);
}, 180_000);
