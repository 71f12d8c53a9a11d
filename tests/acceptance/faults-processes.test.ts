import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { type FaultScene, openFaultScene } from './support/fault-scene.js';
import { expectNothingLost, submitUnderFaults } from './support/history.js';
import { query } from './support/product/database.js';
import { expectLiveInvariants } from './support/product/invariants.js';
import { isAlive, replaced } from './support/product/product.js';
import { expectSigned } from './support/verify-webhook.js';

let scene: FaultScene;

beforeAll(async () => {
  scene = await openFaultScene();
}, 700_000);
afterAll(() => scene.close());

const completed = (status: string) => status === 'completed';

describe('kill -9 under load: no accepted task is lost or charged twice, every webhook arrives, of', () => {
  test('the API while it takes submissions; run.json names its successor', async () => {
    const customer = await scene.customer();
    const { pid } = scene.product.run().api;
    const { client } = customer;
    const history = await submitUnderFaults({
      client,
      receiver: scene.receiver,
      path: '/api',
      count: 200,
      concurrency: 20,
      prompt: 'sandbox:fixed',
      onAnswer: (answers) => answers === 60 && process.kill(pid, 'SIGKILL'),
    });
    expect(history.unknown.length).toBeGreaterThan(0);
    expect(history.refused).toEqual([]);
    await replaced(scene.product, pid, (run) => run.api.pid);
    await eventually(() => client.tasks());
    const rows = await expectNothingLost(scene, customer, scene.receiver, [history]);
    expect(rows.every(({ status }) => completed(status))).toBe(true);
  });

  test('the webhook worker while it delivers', async () => {
    const customer = await scene.customer();
    const worker = scene.product.run().webhookWorkers[0];
    if (worker === undefined) {
      throw new Error('no worker');
    }
    scene.receiver.answer('/webhook-worker', { status: 200, delayMs: 300 });
    const history = await submitUnderFaults({
      client: customer.client,
      receiver: scene.receiver,
      path: '/webhook-worker',
      count: 60,
      concurrency: 20,
      prompt: 'sandbox:fixed',
    });
    await scene.receiver.arrived('/webhook-worker', 5);
    process.kill(worker.pid, 'SIGKILL');
    await expectNothingLost(scene, customer, scene.receiver, [history]);
    await replaced(scene.product, worker.pid, (run) => run.webhookWorkers[0]?.pid);
  });
});

describe('a task whose worker dies every time', () => {
  test('a task whose worker dies every time is given up after three tries: failed at $0.00, and its webhook says so', async () => {
    const customer = await scene.customer();
    const { data } = await customer.client.generate({
      prompt: 'sandbox:fixed sandbox:delay=25000',
      webhook_url: scene.receiver.url('/poison'),
    });
    const sql = 'SELECT attempt, phase FROM tasks WHERE id = $1';
    for (const attempt of [1, 2, 3]) {
      await eventually(async () =>
        expect(await query(scene.product, sql, [data.id])).toEqual([{ attempt, phase: 'running' }]),
      );
      for (const { pid } of scene.product.run().generationWorkers) {
        if (isAlive(pid)) {
          process.kill(pid, 'SIGKILL');
        }
      }
    }
    const task = await customer.client.finished(data.id);
    expect(task).toMatchObject({ status: 'failed', cost: '$0.00', error: expect.any(String) });
    const [delivery] = await scene.receiver.arrived('/poison');
    expect(expectSigned(delivery, customer.webhookSecret)).toMatchObject({ type: 'task.failed', data: task });
    expect((await customer.client.run({ prompt: 'sandbox:fixed' })).status).toBe('completed');
  });
});

describe('a frozen generation worker', () => {
  test('a frozen generation worker that wakes up after its lease changes nothing that the other one has done', async () => {
    const customer = await scene.customer();
    const worker = scene.product.run().generationWorkers[0];
    if (worker === undefined) {
      throw new Error('no worker');
    }
    const history = await submitUnderFaults({
      client: customer.client,
      receiver: scene.receiver,
      path: '/frozen',
      count: 24,
      concurrency: 12,
      prompt: 'sandbox:fixed sandbox:delay=4000',
    });
    const running = "SELECT id FROM tasks WHERE account_id = $1 AND phase = 'running'";
    await eventually(async () =>
      expect((await query(scene.product, running, [customer.id])).length).toBeGreaterThan(15),
    );
    process.kill(worker.pid, 'SIGSTOP');
    try {
      await expectNothingLost(scene, customer, scene.receiver, [history]);
    } finally {
      process.kill(worker.pid, 'SIGCONT');
    }
    const list = async () => (await customer.client.tasks('?per_page=100')).items;
    const before = await list();
    const again = await customer.client.run({ prompt: 'sandbox:fixed sandbox:delay=1000', num_outputs: 2 });
    expect(again.status).toBe('completed');
    expect((await list()).slice(1)).toEqual(before);
    await expectLiveInvariants(scene.product);
  });
});
