import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { type FaultScene, openFaultScene } from './support/fault-scene.js';
import { expectNothingLost, submitUnderFaults } from './support/history.js';
import { query } from './support/product/database.js';
import { expectLiveInvariants } from './support/product/invariants.js';
import { replaced } from './support/product/product.js';
import type { Task } from './support/servers/wire.js';

let scene: FaultScene;

beforeAll(async () => {
  scene = await openFaultScene();
}, 700_000);
afterAll(() => scene.close());

// Every other process that is killed, killed again and again, or frozen: faults-processes.
describe('kill -9 under load: no accepted task is lost or charged twice, every webhook arrives, of', () => {
  test('a generation worker; the other one takes over within lease and sweep, at the price of one try', async () => {
    const customer = await scene.customer();
    const worker = scene.product.run().generationWorkers[0];
    if (worker === undefined) {
      throw new Error('no worker');
    }
    const history = await submitUnderFaults({
      client: customer.client,
      receiver: scene.receiver,
      path: '/worker',
      count: 40,
      concurrency: 20,
      prompt: 'sandbox:fixed sandbox:delay=4000',
    });
    const running = "SELECT id FROM tasks WHERE account_id = $1 AND phase = 'running'";
    await eventually(async () =>
      expect((await query(scene.product, running, [customer.id])).length).toBeGreaterThan(17),
    );
    const waiting = history.accepted.map((id) =>
      customer.client.call<Task>('GET', `/v1/tasks/${id}?wait=55`, { timeoutMs: 60_000 }),
    );
    process.kill(worker.pid, 'SIGKILL');
    await expectLiveInvariants(scene.product);
    expect(new Set((await Promise.all(waiting)).map(({ data }) => data.status))).toEqual(
      new Set(['completed']),
    );
    const rows = await expectNothingLost(scene, customer, scene.receiver, [history]);
    expect(rows.every(({ status }) => status === 'completed')).toBe(true);
    expect(rows.some(({ tries }) => tries === 1)).toBe(true);
    expect(Math.max(...rows.map(({ tries }) => tries))).toBe(1);
    await replaced(scene.product, worker.pid, (run) => run.generationWorkers[0]?.pid);
  });
});
