import { describe, expect, jest, test } from '@jest/globals';
import { createLogger } from '../logging/index.js';
import { createShutdown, createWatchdog, repeat } from './index.js';

const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });

describe('shutdown', () => {
  test('groups stop in order, each once, however often it is asked for', async () => {
    const order: string[] = [];
    const shutdown = createShutdown({ logger, graceMs: 1000 });
    shutdown.register('connections', 'db', () => order.push('db'));
    shutdown.register('work', 'jobs', () => order.push('jobs'));
    shutdown.register('intake', 'http', () => order.push('http'));
    await Promise.all([shutdown.run('a'), shutdown.run('b')]);
    expect(order).toEqual(['http', 'jobs', 'db']);
    expect(shutdown.signal.aborted).toBe(true);
  });

  test('a part that hangs or throws does not hold the others', async () => {
    const order: string[] = [];
    const shutdown = createShutdown({ logger, graceMs: 50 });
    shutdown.register('intake', 'hangs', () => new Promise(() => undefined));
    shutdown.register('work', 'throws', () => {
      throw new Error('x');
    });
    shutdown.register('connections', 'db', () => order.push('db'));
    await shutdown.run('test');
    expect(order).toEqual(['db']);
  });

  test('parts that hang take the grace together, and connections half a second more', async () => {
    jest.useFakeTimers();
    try {
      const given: number[] = [];
      const shutdown = createShutdown({ logger, graceMs: 1_000 });
      for (const group of ['connections', 'work', 'intake'] as const) {
        shutdown.register(group, group, (leftMs) => {
          given.push(leftMs);
          return new Promise(() => undefined);
        });
      }
      const since = Date.now();
      const ended = shutdown.run('test').then(() => Date.now() - since);
      await jest.runAllTimersAsync();
      expect(given).toEqual([1_000, 0, 500]);
      // A turn of the event loop takes a millisecond of this clock.
      expect((await ended) - 1_500).toBeLessThan(10);
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('watchdog', () => {
  const make = (answers: (string | null | Error)[]) => {
    let time = 0;
    const hung: string[] = [];
    const watchdog = createWatchdog({
      logger,
      times: { hungAfterMs: 100, checkEveryMs: 1_000_000 },
      now: () => time,
      probe: async () => {
        const answer = answers.shift() ?? null;
        if (answer instanceof Error) {
          throw answer;
        }
        return answer;
      },
      onHang: (reason) => hung.push(reason),
    });
    return {
      hung,
      step: async () => {
        time += 60;
        await watchdog.check();
      },
      stop: watchdog.stop,
    };
  };

  test('trouble that lasts ends the process, once', async () => {
    const { hung, step, stop } = make(['stuck', 'stuck', 'stuck', 'stuck', 'stuck']);
    for (let i = 0; i < 5; i++) {
      await step();
    }
    expect(hung).toEqual(['stuck']);
    stop();
  });

  test('trouble that passes, or a probe that fails, does not', async () => {
    const { hung, step, stop } = make([
      'stuck',
      'stuck',
      null,
      'stuck',
      'stuck',
      new Error('db down'),
      'stuck',
    ]);
    for (let i = 0; i < 7; i++) {
      await step();
    }
    expect(hung).toEqual([]);
    stop();
  });
});

test('a repeated action goes on after an error and ends with its signal', async () => {
  const controller = new AbortController();
  const errors: unknown[] = [];
  let rounds = 0;
  await repeat(
    async () => {
      rounds++;
      if (rounds === 1) {
        throw new Error('first');
      }
      if (rounds === 3) {
        controller.abort();
      }
    },
    { everyMs: 1, signal: controller.signal, onError: (error) => errors.push(error) },
  );
  expect([rounds, errors.length]).toEqual([3, 1]);
});
