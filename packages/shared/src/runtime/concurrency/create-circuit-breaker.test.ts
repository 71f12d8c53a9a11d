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
  test('a circuit breaker opens after consecutive failures only', () => {
    const { breaker, call } = setUp();
    for (const outcome of ['failed', 'succeeded', 'failed'] as const) {
      call(outcome);
    }
    expect([breaker.state(), breaker.admits()]).toEqual(['closed', true]);
    call('failed');
    expect([breaker.state(), breaker.admits()]).toEqual(['open', false]);
  });

  test('a circuit breaker admits one trial call after its break, which closes it or opens it for the next break', () => {
    const { breaker, call, pass } = setUp();
    for (let i = 0; i < 2; i += 1) {
      call('failed');
    }
    pass(99);
    expect(breaker.admits()).toBe(false);
    pass(1);
    expect(breaker.admits()).toBe(true);
    const end = breaker.begin();
    expect([breaker.state(), breaker.admits()]).toEqual(['half-open', false]);
    end('failed');
    pass(199);
    expect([breaker.state(), breaker.admits()]).toEqual(['open', false]);
    pass(1);
    call('succeeded');
    expect([breaker.state(), breaker.admits()]).toEqual(['closed', true]);
  });

  test('a canceled call counts neither as a failure nor as a success, and a canceled trial opens it again', () => {
    const { breaker, call, pass } = setUp();
    call('failed');
    call('canceled');
    expect(breaker.state()).toBe('closed');
    call('failed');
    expect(breaker.state()).toBe('open');
    call('canceled');
    pass(100);
    call('canceled');
    expect(breaker.state()).toBe('open');
  });

  test('a wall clock that is set back does not keep it open', () => {
    const { breaker, call, pass } = setUp();
    for (let i = 0; i < 2; i += 1) {
      call('failed');
    }
    jest.spyOn(Date, 'now').mockReturnValue(0);
    pass(100);
    call('succeeded');
    expect(breaker.state()).toBe('closed');
  });

  test('a call that began before the circuit opened counts no more when it ends', () => {
    const { breaker, call, pass } = setUp();
    const late = [breaker.begin(), breaker.begin(), breaker.begin()];
    call('failed');
    call('failed');
    late[0]?.('succeeded');
    expect(breaker.state()).toBe('open');
    pass(100);
    call('succeeded');
    late[1]?.('failed');
    late[2]?.('failed');
    expect(breaker.state()).toBe('closed');
  });

  test('a call that begins beside the trial call does not decide', () => {
    const { breaker, call, pass } = setUp();
    call('failed');
    call('failed');
    pass(100);
    const trial = breaker.begin();
    call('succeeded');
    expect(breaker.state()).toBe('half-open');
    trial('failed');
    expect(breaker.state()).toBe('open');
  });
});
