import { createLogger } from '@image-gateway/shared/logging';
import { createMetrics } from '@image-gateway/shared/metrics';
import { describe, expect, test } from '@jest/globals';
import { createWorkerPool } from './create-worker-pool.js';

const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });
const createPool = (slots: number) => createWorkerPool({ slots, logger, metrics: createMetrics('test') });
const begun = () => new Promise((resolve) => setImmediate(resolve));
const gate = () => {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
};

describe('create worker pool', () => {
  test('a worker pool shares its slots between hints and direct claims', async () => {
    const pool = createPool(3);
    const hold = gate();
    const hinted = pool.run(() => hold.passed);
    await begun();
    const offered: number[] = [];
    await pool.tryFill(async (slots) => {
      offered.push(slots);
      return [() => hold.passed];
    });
    await pool.tryFill(async (slots) => {
      offered.push(slots);
      return [];
    });
    expect(offered).toEqual([2, 1]);
    hold.open();
    await hinted;
  });

  test('a worker pool goes on after a job or a claim that threw', async () => {
    const pool = createPool(1);
    await pool.run(() => Promise.reject(new Error('broke')));
    await expect(pool.tryFill(() => Promise.reject(new Error('no database')))).rejects.toThrow('no database');
    let done = false;
    await pool.run(async () => {
      done = true;
    });
    expect(done).toBe(true);
  });

  test('a worker pool that closes waits for running jobs, then stops them, and takes no new ones', async () => {
    const pool = createPool(2);
    const ended: string[] = [];
    const short = gate();
    void pool.run(() => short.passed.then(() => void ended.push('short')));
    void pool.run(
      () =>
        new Promise((resolve) => {
          pool.stop.addEventListener('abort', () => {
            ended.push('stopped');
            resolve();
          });
        }),
    );
    await begun();
    const closing = pool.close(300);
    void pool.run(async () => void ended.push('late'));
    short.open();
    await closing;
    expect(ended).toEqual(['short', 'stopped']);
  });

  test('a worker pool that closes does not wait longer than it may for a job that does not listen', async () => {
    const pool = createPool(1);
    void pool.run(() => new Promise(() => undefined));
    await begun();
    const at = performance.now();
    await pool.close(200);
    expect(performance.now() - at).toBeLessThan(400);
  });

  test('a worker pool starts many claimed jobs over several turns of the event loop', async () => {
    const pool = createPool(20);
    let started = 0;
    const filling = pool.tryFill(async (slots) =>
      Array.from({ length: slots }, () => async () => void started++),
    );
    await begun();
    expect(started).toBeGreaterThan(0);
    expect(started).toBeLessThan(20);
    expect(await filling).toBe(20);
    expect(started).toBe(20);
  });
});
