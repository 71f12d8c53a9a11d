import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { createCircuitBreaker } from './create-circuit-breaker.js';

afterEach(() => {
  jest.restoreAllMocks();
});

function setUp() {
  let now = 1_000;
  const breaker = createCircuitBreaker({
    maxFailures: 2,
    breakMs: (attempt) => 100 * attempt,
    now: () => now,
  });
  return {
    breaker,
    call: (outcome: 'succeeded' | 'failed' | 'canceled') => breaker.begin()(outcome),
    pass: (ms: number): void => {
      now += ms;
    },
  };
}

describe('a circuit breaker', () => {
  test('a circuit breaker opens after consecutive failures only, and by the time that the last of them is recorded', async () => {
    const { breaker, call } = setUp();
    for (const outcome of ['failed', 'succeeded', 'failed'] as const) {
      await call(outcome);
    }
    expect([breaker.state(), breaker.admits()]).toEqual(['closed', true]);
    await call('failed');
    expect([breaker.state(), breaker.admits()]).toEqual(['open', false]);
  });

  test('a circuit breaker admits one trial call after its break, which closes it or opens it for the next break', async () => {
    const { breaker, call, pass } = setUp();
    for (let i = 0; i < 2; i += 1) {
      await call('failed');
    }
    pass(99);
    expect(breaker.admits()).toBe(false);
    pass(1);
    expect(breaker.admits()).toBe(true);
    const end = breaker.begin();
    expect([breaker.state(), breaker.admits()]).toEqual(['half-open', false]);
    await end('failed');
    pass(199);
    expect([breaker.state(), breaker.admits()]).toEqual(['open', false]);
    pass(1);
    await call('succeeded');
    expect([breaker.state(), breaker.admits()]).toEqual(['closed', true]);
  });

  test('a canceled call counts neither as a failure nor as a success, and a canceled trial opens it again', async () => {
    const { breaker, call, pass } = setUp();
    await call('failed');
    await call('canceled');
    expect(breaker.state()).toBe('closed');
    await call('failed');
    expect(breaker.state()).toBe('open');
    await call('canceled');
    pass(100);
    await call('canceled');
    expect(breaker.state()).toBe('open');
  });

  test('a wall clock that is set back does not keep it open', async () => {
    const { breaker, call, pass } = setUp();
    for (let i = 0; i < 2; i += 1) {
      await call('failed');
    }
    jest.spyOn(Date, 'now').mockReturnValue(0);
    pass(100);
    await call('succeeded');
    expect(breaker.state()).toBe('closed');
  });
});
