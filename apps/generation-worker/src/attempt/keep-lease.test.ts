import { AppError } from '@image-gateway/shared/errors';
import { createLogger } from '@image-gateway/shared/logging';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { AbortCause } from './attempt.js';
import { keepLease } from './keep-lease.js';

const log = createLogger({ service: 'test', level: 'error', write: () => undefined });

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Keeps a lease of 30 s with a heartbeat every 10 s; `answer` says what the database does. */
function keep(
  answer: () => 'own' | 'lost' | 'away',
  times = { leaseMs: 30_000, heartbeatMs: 10_000 },
  now: () => number = Date.now,
) {
  const aborts: AbortCause[] = [];
  const beats: number[] = [];
  const startedAt = Date.now();
  const run = async <Row>(): Promise<Row[]> => {
    beats.push(Date.now() - startedAt);
    const said = answer();
    if (said === 'away') {
      throw new AppError('INTERNAL_ERROR', { message: 'away' });
    }
    return (said === 'own' ? [{}] : []) as Row[];
  };
  const lease = keepLease(
    { db: { run }, now, ...times },
    { taskId: 't', attempt: 1, claimSentAt: now(), log, abort: (why) => void aborts.push(why) },
  );
  return { aborts, beats, stop: lease.stop };
}

describe('keep lease', () => {
  test('a lease is renewed at every heartbeat, and nothing stops the attempt', async () => {
    const { aborts, beats, stop } = keep(() => 'own');
    await jest.advanceTimersByTimeAsync(95_000);
    expect(beats).toEqual([10_000, 20_000, 30_000, 40_000, 50_000, 60_000, 70_000, 80_000, 90_000]);
    expect(aborts).toEqual([]);
    stop();
  });

  test('a lease that is no longer ours stops the attempt at the next heartbeat', async () => {
    let own = true;
    const { aborts, stop } = keep(() => (own ? 'own' : 'lost'));
    await jest.advanceTimersByTimeAsync(15_000);
    own = false;
    await jest.advanceTimersByTimeAsync(5_000);
    expect(aborts).toEqual(['lost']);
    stop();
  });

  test('a lease survives a database that is away for less than the lease', async () => {
    let away = false;
    const { aborts, stop } = keep(() => (away ? 'away' : 'own'));
    await jest.advanceTimersByTimeAsync(12_000);
    away = true;
    await jest.advanceTimersByTimeAsync(27_000);
    away = false;
    await jest.advanceTimersByTimeAsync(60_000);
    expect(aborts).toEqual([]);
    stop();
  });

  test('a lease that cannot be renewed stops the attempt when it runs out, counted from before the last renewal was sent', async () => {
    let away = false;
    const { aborts, stop } = keep(() => (away ? 'away' : 'own'));
    await jest.advanceTimersByTimeAsync(10_500);
    away = true;
    await jest.advanceTimersByTimeAsync(29_499);
    expect(aborts).toEqual([]);
    await jest.advanceTimersByTimeAsync(2);
    expect(aborts[0]).toBe('lease');
    stop();
  });

  test('a lease that ran out while this process was stopped counts as a hang, whatever the database says afterwards', async () => {
    let sleptMs = 0;
    const { aborts, stop } = keep(
      () => 'own',
      undefined,
      () => Date.now() + sleptMs,
    );
    await jest.advanceTimersByTimeAsync(15_000);
    sleptMs = 90_000;
    await jest.advanceTimersByTimeAsync(5_000);
    expect(aborts[0]).toBe('hung');
    stop();
  });

  test('a lease shorter than the heartbeat is renewed in time all the same', async () => {
    const { aborts, stop } = keep(() => 'own', { leaseMs: 900, heartbeatMs: 10_000 });
    await jest.advanceTimersByTimeAsync(5_000);
    expect(aborts).toEqual([]);
    stop();
  });

  test('a lease is left alone once it is stopped', async () => {
    const { aborts, beats, stop } = keep(() => 'lost');
    stop();
    await jest.advanceTimersByTimeAsync(120_000);
    expect([aborts, beats]).toEqual([[], []]);
  });
});
