import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type FaultScene, openFaultScene } from './support/fault-scene.js';
import { expectNothingLost, submitUnderFaults } from './support/history.js';
import { flushRedis } from './support/product/flush-redis.js';
import { isAlive } from './support/product/product.js';

let scene: FaultScene;

beforeAll(async () => {
  scene = await openFaultScene({ args: ['--api', '2'] });
}, 700_000);
afterAll(() => scene.close());

describe('two API processes', () => {
  test('share the port and stand in run.json', () => {
    const { pids = [] } = scene.product.run().api;
    expect([pids.length, pids.every(isAlive)]).toEqual([2, true]);
  });
});

describe('Redis', () => {
  test('flushed twice in the middle of the work costs time and nothing else', async () => {
    const customer = await scene.customer();
    const flush = (answers: number) => {
      if (answers === 40 || answers === 80) {
        flushes.push(flushRedis(scene.product.run().redis.url));
      }
    };
    const flushes: Promise<void>[] = [];
    const history = await submitUnderFaults({
      client: customer.client,
      receiver: scene.receiver,
      path: '/flushed',
      count: 100,
      concurrency: 10,
      prompt: 'sandbox:fixed sandbox:delay=200',
      onAnswer: flush,
    });
    await Promise.all(flushes);
    expect([history.accepted.length, history.unknown, history.refused]).toEqual([100, [], []]);
    const rows = await expectNothingLost(scene, customer, scene.receiver, [history]);
    expect(rows.filter(({ status, tries }) => status !== 'completed' || tries > 0)).toEqual([]);
  });

  test('killed under load: submissions are still accepted within 2 s, and all of them complete', async () => {
    const customer = await scene.customer();
    const { pid } = scene.product.run().redis;
    if (pid === undefined) {
      throw new Error('run.json names no pid for Redis');
    }
    let slowest = 0;
    let last = Date.now();
    const history = await submitUnderFaults({
      client: customer.client,
      receiver: scene.receiver,
      path: '/redis-killed',
      count: 60,
      concurrency: 1,
      prompt: 'sandbox:fixed',
      onAnswer: (answers) => {
        slowest = Math.max(slowest, Date.now() - last);
        if (answers === 20) {
          process.kill(pid, 'SIGKILL');
        }
        last = Date.now();
      },
    });
    expect([history.accepted.length, history.unknown]).toEqual([60, []]);
    expect(slowest).toBeLessThan(2_000);
    const rows = await expectNothingLost(scene, customer, scene.receiver, [history]);
    expect(rows.every(({ status }) => status === 'completed')).toBe(true);
  });
});
