import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { type FaultScene, openFaultScene } from './support/fault-scene.js';
import { expectNothingLost, submitUnderFaults } from './support/history.js';

let scene: FaultScene;

beforeAll(async () => {
  scene = await openFaultScene();
}, 700_000);
afterAll(() => scene.close());

const getPid = (service: 'postgres' | 's3') => {
  const { pid } = scene.product.run()[service];
  if (pid === undefined) {
    throw new Error(`run.json names no pid for ${service}`);
  }
  return pid;
};

describe('the object store', () => {
  test('killed under load delays tasks and fails none', async () => {
    const customer = await scene.customer();
    const pid = getPid('s3');
    const history = await submitUnderFaults({
      client: customer.client,
      receiver: scene.receiver,
      path: '/s3-killed',
      count: 40,
      concurrency: 10,
      prompt: 'sandbox:fixed sandbox:delay=500',
      onAnswer: (answers) => answers === 20 && process.kill(pid, 'SIGKILL'),
    });
    const rows = await expectNothingLost(scene, customer, scene.receiver, [history]);
    expect(rows.filter(({ status, tries }) => status !== 'completed' || tries > 0)).toEqual([]);
    const { items } = await customer.client.tasks('?per_page=100');
    for (const task of items) {
      expect((await fetch(task.output?.url ?? '')).status).toBe(200);
    }
  });
});

describe('PostgreSQL', () => {
  test('killed under load: answers are 202 or 500 within 6 s, no accepted task is lost, all goes on by itself', async () => {
    const customer = await scene.customer();
    const pid = getPid('postgres');
    let slowest = 0;
    const timed = {
      ...customer.client,
      generate: async (...args: Parameters<typeof customer.client.generate>) => {
        const begun = performance.now();
        const answer = await customer.client.generate(...args);
        slowest = Math.max(slowest, performance.now() - begun);
        return answer;
      },
    };
    const history = await submitUnderFaults({
      client: timed,
      receiver: scene.receiver,
      path: '/postgres-killed',
      count: 150,
      concurrency: 10,
      prompt: 'sandbox:fixed sandbox:delay=300',
      onAnswer: (answers) => answers === 50 && process.kill(pid, 'SIGKILL'),
    });
    expect(history.refused).toEqual([]);
    expect(history.unknown.filter((why) => !['500', '503'].includes(why))).toEqual([]);
    expect(slowest).toBeLessThan(6_000);
    await eventually(() => customer.client.tasks());
    const rows = await expectNothingLost(scene, customer, scene.receiver, [history], 60_000);
    expect(rows.every(({ status }) => status === 'completed')).toBe(true);
  });
});
