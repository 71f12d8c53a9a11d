import { createLogger } from '@image-gateway/shared/logging';
import { createMetrics } from '@image-gateway/shared/metrics';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createPermits } from './create-permits.js';
import { createWorkshop } from './create-workshop.js';

const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });
const workshopOf = (places: number) => createWorkshop({ places, logger, metrics: createMetrics('test') });
const begun = () => new Promise((resolve) => setImmediate(resolve));
const gate = () => {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
};

describe('permits', () => {
  test('are never handed out twice, and serve whoever waits in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.integer({ min: 1, max: 12 })),
        async (total, asks) => {
          const permits = createPermits(total);
          let held = 0;
          const served: number[] = [];
          await Promise.all(
            asks.map(async (count, i) => {
              const release = await permits.acquire(count);
              served.push(i);
              held += Math.min(count, total);
              expect(held).toBeLessThanOrEqual(total);
              await Promise.resolve();
              held -= Math.min(count, total);
              release();
              release();
            }),
          );
          expect(served).toEqual(asks.map((_, i) => i));
          expect(permits.free()).toBe(total);
        },
      ),
    );
  });
});

describe('a workshop', () => {
  test('shares its places between hints and direct claims', async () => {
    const workshop = workshopOf(3);
    const hold = gate();
    const hinted = workshop.work(() => hold.passed);
    await begun();
    const offered: number[] = [];
    await workshop.fill(async (places) => {
      offered.push(places);
      return [() => hold.passed];
    });
    await workshop.fill(async (places) => {
      offered.push(places);
      return [];
    });
    expect(offered).toEqual([2, 1]);
    hold.open();
    await hinted;
  });

  test('goes on after a job or a claim that threw', async () => {
    const workshop = workshopOf(1);
    await workshop.work(() => Promise.reject(new Error('broke')));
    await expect(workshop.fill(() => Promise.reject(new Error('no database')))).rejects.toThrow(
      'no database',
    );
    let done = false;
    await workshop.work(async () => {
      done = true;
    });
    expect(done).toBe(true);
  });

  test('that closes waits for running jobs, then stops them, and takes no new ones', async () => {
    const workshop = workshopOf(2);
    const ended: string[] = [];
    const short = gate();
    void workshop.work(() => short.passed.then(() => void ended.push('short')));
    void workshop.work(
      () =>
        new Promise((resolve) => {
          workshop.stop.addEventListener('abort', () => {
            ended.push('stopped');
            resolve();
          });
        }),
    );
    await begun();
    const closing = workshop.close(300);
    void workshop.work(async () => void ended.push('late'));
    short.open();
    await closing;
    expect(ended).toEqual(['short', 'stopped']);
  });

  test('that closes does not wait longer than it may for a job that does not listen', async () => {
    const workshop = workshopOf(1);
    void workshop.work(() => new Promise(() => undefined));
    await begun();
    const at = performance.now();
    await workshop.close(200);
    expect(performance.now() - at).toBeLessThan(400);
  });
});
