import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { type FaultScene, openFaultScene } from './support/fault-scene.js';
import { expectNothingLost, submitUnderFaults } from './support/history.js';
import { query } from './support/product/database.js';
import { isAlive } from './support/product/product.js';
import { listPids } from './support/product/run-file.js';
import type { Customer } from './support/scene.js';

let scene: FaultScene;

beforeAll(async () => {
  scene = await openFaultScene();
}, 700_000);
afterAll(() => scene.close());

const load = (
  customer: Customer,
  path: string,
  prompt: string,
  count: number,
  onAnswer?: (answers: number) => void,
) =>
  submitUnderFaults({
    client: customer.client,
    receiver: scene.receiver,
    path,
    count,
    concurrency: 10,
    prompt: `sandbox:fixed ${prompt}`,
    ...(onAnswer ? { onAnswer } : {}),
  });

async function begun(customer: Customer, count: number): Promise<void> {
  const sql = "SELECT id FROM tasks WHERE account_id = $1 AND phase = 'running'";
  const enough = async () =>
    expect((await query(scene.product, sql, [customer.id])).length).toBeGreaterThanOrEqual(count);
  await eventually(enough, { withinMs: 60_000 });
}

describe('SIGTERM', () => {
  test('SIGTERM to a generation worker under load: short work ends, long work goes back, no try is used up', async () => {
    const customer = await scene.customer();
    const worker = scene.product.run().generationWorkers[0];
    if (worker === undefined) {
      throw new Error('no worker');
    }
    // The long ones first: the short ones still run when the last of them is accepted.
    const long = await load(customer, '/worker-long', 'sandbox:delay=6000', 10);
    const short = await load(customer, '/worker-short', 'sandbox:delay=1000', 10);
    await begun(customer, 15);
    process.kill(worker.pid, 'SIGTERM');
    await eventually(() => expect(isAlive(worker.pid)).toBe(false), { withinMs: 5_500 });
    const rows = await expectNothingLost(scene, customer, scene.receiver, [short, long]);
    expect(rows.filter(({ status, tries }) => status !== 'completed' || tries > 0)).toEqual([]);
    expect(rows.some(({ attempt }) => attempt > 1)).toBe(true);
  });

  test('SIGTERM to the API under load: every request that was taken is answered, with 202 or 503', async () => {
    const customer = await scene.customer();
    const { pid } = scene.product.run().api;
    const history = await load(customer, '/api-term', '', 150, (answers) => {
      if (answers === 50) {
        process.kill(pid, 'SIGTERM');
      }
    });
    const odd = history.unknown.filter((why) => !['503', 'ECONNREFUSED', 'ECONNRESET'].includes(why));
    expect([odd, history.refused]).toEqual([[], []]);
    const rows = await expectNothingLost(scene, customer, scene.receiver, [history]);
    expect(rows.filter(({ status, tries }) => status !== 'completed' || tries > 0)).toEqual([]);
    const back = async () => {
      expect(scene.product.run().api.pid).not.toBe(pid);
      expect((await fetch(`${scene.product.url}/readyz`)).status).toBe(200);
    };
    await eventually(back);
  });

  test('SIGTERM to npm start under load: all processes go within the grace, and after a new start all work is done, without a try', async () => {
    const customer = await scene.customer();
    const histories = [
      await load(customer, '/stop-short', 'sandbox:delay=500', 30),
      await load(customer, '/stop-long', 'sandbox:delay=6000', 10),
    ];
    expect(histories.map(({ accepted }) => accepted.length)).toEqual([30, 10]);
    await begun(customer, 10);
    const pids = listPids(scene.product.run());
    const stopping = Date.now();
    await scene.product.stop('SIGTERM');
    // Grace 3 s, two more for the processes, then the services.
    expect(Date.now() - stopping).toBeLessThan(12_000);
    expect(pids.filter(isAlive)).toEqual([]);
    await scene.product.startAgain();
    const rows = await expectNothingLost(scene, customer, scene.receiver, histories);
    expect(rows.filter(({ status, tries }) => status !== 'completed' || tries > 0)).toEqual([]);
  });
});
