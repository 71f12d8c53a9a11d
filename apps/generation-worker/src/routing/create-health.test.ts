import { createMetrics } from '@image-gateway/shared/metrics';
import { describe, expect, test } from '@jest/globals';
import type { ProviderFailure } from '../providers/failures.js';
import type { Candidate, ImageProvider } from '../providers/port.js';
import { createHealth } from './create-health.js';

const task = { id: 't', accountId: 'a' };
const other = { id: 'o', accountId: 'b' };
const third = { id: 'p', accountId: 'c' };
const candidate = (more: Partial<Candidate> & { upstream?: boolean } = {}): Candidate => ({
  provider: { name: 'a', upstream: more.upstream ?? true, asynchronous: false } as ImageProvider,
  model: 'm',
  key: null,
  takesResolution: true,
  options: {},
  maxImagesPerCall: 1,
  concurrency: 8,
  listCostMicros: 1n,
  ...more,
});
const key = (fingerprint: string) => ({ fingerprint, secret: 'x' });

function setUp() {
  let now = 1_000_000;
  const metrics = createMetrics('test');
  const health = createHealth({ metrics, now: () => now });
  const call = (
    one: Candidate,
    failure: ProviderFailure | 'cut' | null,
    said?: { retryAfterMs?: number; isUnreachable?: boolean },
  ) => {
    const permit = health.acquirePermit(one, task);
    permit?.release(failure, said);
    return permit !== null;
  };
  const pass = (ms: number): void => {
    now += ms;
  };
  return { health, metrics, call, pass };
}

describe('the circuits of a candidate', () => {
  test('the circuit of an account opens after five failures in a row, pauses its tasks, and lets one trial call through', () => {
    const { health, call, pass } = setUp();
    const one = candidate();
    for (let i = 0; i < 4; i += 1) {
      call(one, 'overload');
    }
    call(one, null);
    for (let i = 0; i < 5; i += 1) {
      expect(call(one, 'upstream-error')).toBe(true);
    }
    expect(health.getAvailability(one, task)).toEqual({ kind: 'paused', forMs: 5_000 });
    expect(health.getAvailability(one, other)).toEqual({ kind: 'ready', last: false });
    expect(health.reports()).toMatchObject([{ circuit: 'closed', accountsPaused: 1 }]);
    expect(call(one, null)).toBe(false);
    pass(5_000);
    const probe = health.acquirePermit(one, task);
    expect(probe).not.toBeNull();
    expect(health.getAvailability(one, task)).toMatchObject({ kind: 'paused', isTrial: true });
    expect(health.acquirePermit(one, task)).toBeNull();
    probe?.release('overload');
    expect(health.getAvailability(one, task)).toEqual({ kind: 'paused', forMs: 10_000 });
    pass(10_000);
    expect(call(one, null)).toBe(true);
    expect(health.getAvailability(one, task)).toEqual({ kind: 'ready', last: false });
  });

  test('the circuit of a candidate opens for all accounts when there is no connection, for this model alone', () => {
    const { health, call } = setUp();
    for (let i = 0; i < 9; i += 1) {
      call(candidate(), 'moderation');
    }
    expect(health.getAvailability(candidate(), task).kind).toBe('ready');
    for (let i = 0; i < 9; i += 1) {
      call(candidate(), 'transport', { isUnreachable: true });
    }
    expect(health.getAvailability(candidate(), other)).toEqual({ kind: 'paused', forMs: 5_000 });
    expect(health.getAvailability(candidate({ model: 'n' }), task).kind).toBe('ready');
    expect(health.reports()).toMatchObject([{ circuit: 'open' }, { circuit: 'closed' }]);
  });

  test('the circuits of a candidate learn nothing from calls that our own side cut, and are not closed by one', () => {
    const { health, call, pass } = setUp();
    const one = candidate();
    for (let i = 0; i < 4; i += 1) {
      call(one, 'overload');
    }
    call(one, 'cut');
    expect(health.getAvailability(one, task).kind).toBe('ready');
    call(one, 'overload');
    expect(health.getAvailability(one, task).kind).toBe('paused');
    pass(5_000);
    expect(call(one, 'cut')).toBe(true);
    expect(health.getAvailability(one, task).kind).toBe('paused');
  });

  test('the circuits of a candidate never open for a provider behind which nobody stands', () => {
    const { health, call } = setUp();
    for (let i = 0; i < 9; i += 1) {
      call(candidate({ upstream: false }), 'overload');
    }
    expect(health.getAvailability(candidate({ upstream: false }), task).kind).toBe('ready');
  });

  test('tasks of one account that wait come back one after another, the first of each account in time', () => {
    const { health } = setUp();
    const wait = (id: string, accountId: string) =>
      health.wait({ pauseMs: 5_000, candidates: [candidate()] }, { id, accountId });
    expect([wait('1', 'a'), wait('2', 'a'), wait('3', 'a'), wait('4', 'b'), wait('1', 'a')]).toEqual([
      5_000, 5_050, 5_100, 5_000, 5_100,
    ]);
  });
});

describe('what one task learns, all tasks know', () => {
  test('a rate limit pauses this key for as long as the provider says, and no other key', () => {
    const { health, call, pass } = setUp();
    const [one, second] = [candidate({ key: key('k') }), candidate({ key: key('l') })];
    call(one, 'rate-limit', { retryAfterMs: 7_000 });
    expect(health.getAvailability(one, task)).toEqual({ kind: 'paused', forMs: 7_000 });
    expect(health.getAvailability(second, task).kind).toBe('ready');
    expect(health.reports()[0]?.pausedMs).toEqual({ k: 7_000 });
    pass(7_000);
    expect(health.getAvailability(one, task).kind).toBe('ready');
    call(one, 'rate-limit', { retryAfterMs: 1e12 });
    expect(health.getAvailability(one, task)).toEqual({ kind: 'paused', forMs: 60_000 });
  });

  test('a rate limit of an account pauses all models of the key, and a model that is overloaded as long as it says', () => {
    const { health, call } = setUp();
    const provider = { name: 'a', upstream: true, asynchronous: true, limitsAccount: true } as ImageProvider;
    const one = candidate({ provider, key: key('k') });
    call(one, 'rate-limit', { retryAfterMs: 2_000 });
    expect(health.getAvailability({ ...one, model: 'n' }, task)).toEqual({ kind: 'paused', forMs: 2_000 });
    expect(health.getAvailability({ ...one, key: key('l') }, task).kind).toBe('ready');
    expect(health.reports()[0]?.pausedMs).toEqual({ k: 2_000 });
    const busy = candidate({ model: 'o' });
    call(busy, 'overload');
    expect(health.getAvailability(busy, task).kind).toBe('ready');
    call(busy, 'overload', { retryAfterMs: 3_000 });
    expect(health.getAvailability(busy, task)).toEqual({ kind: 'paused', forMs: 3_000 });
    expect(health.getAvailability(candidate(), task).kind).toBe('ready');
  });

  test('a refused key is asked last for ten minutes, a used-up quota for an hour, and an operator is told', async () => {
    const { health, metrics, call, pass } = setUp();
    const one = candidate({ key: key('k') });
    call(one, 'auth');
    expect(health.getAvailability(one, task)).toEqual({ kind: 'ready', last: true });
    expect(health.getAvailability(candidate({ key: key('k'), model: 'n' }), task)).toMatchObject({
      last: true,
    });
    expect(health.getAvailability(candidate({ key: key('l') }), task)).toMatchObject({ last: false });
    expect(health.reports()[0]?.keysSetAside).toEqual(['k']);
    pass(10 * 60_000);
    expect(health.getAvailability(one, task)).toMatchObject({ last: false });
    call(one, 'quota');
    pass(59 * 60_000);
    expect(health.getAvailability(one, task)).toMatchObject({ last: true });
    const { values } = await metrics.providerAlerts.get();
    expect(values).toMatchObject([
      { labels: { provider: 'a', model: 'm', failure: 'auth' }, value: 1 },
      { labels: { provider: 'a', model: 'm', failure: 'quota' }, value: 1 },
    ]);
  });

  test('a model that a key may not use, or has used up, is asked last with that key alone', () => {
    const { health, call, pass } = setUp();
    for (const [failure, minutes] of [
      ['no-access', 10],
      ['model-quota', 60],
    ] as const) {
      const refused = candidate({ model: failure, key: key('a') });
      call(refused, failure);
      const isLast = (one: Candidate) => health.getAvailability(one, task);
      expect(isLast(refused)).toEqual({ kind: 'ready', last: true });
      expect(isLast({ ...refused, key: key('b') })).toEqual({ kind: 'ready', last: false });
      expect(isLast({ ...refused, model: 'other' })).toEqual({ kind: 'ready', last: false });
      expect(health.reports().find(({ model }) => model === failure)?.keysSetAside).toEqual(['a']);
      pass(minutes * 60_000 - 1);
      expect(isLast(refused)).toEqual({ kind: 'ready', last: true });
      pass(1);
      expect(isLast(refused)).toEqual({ kind: 'ready', last: false });
    }
  });

  test('refusals without a reason raise an alert when three tasks met them without a success in between', async () => {
    const { health, metrics } = setUp();
    const meet = (id: string, failure: ProviderFailure | null) =>
      health.acquirePermit(candidate(), { ...task, id })?.release(failure);
    const countAlerts = async () => (await metrics.providerAlerts.get()).values.length;
    for (const [id, failure] of [
      ['1', 'unexplained'],
      ['1', 'unexplained'],
      ['1', 'unexplained'],
      ['2', 'unexplained'],
      ['2', null],
      ['3', 'unexplained'],
      ['4', 'unexplained'],
    ] as const) {
      meet(id, failure);
    }
    expect(await countAlerts()).toBe(0);
    meet('5', 'unexplained');
    expect(await countAlerts()).toBe(1);
  });

  test.each<[ProviderFailure, Partial<Candidate>]>([
    ['auth', { key: key('k') }],
    ['no-access', { key: key('k') }],
    ['model-gone', {}],
    ['geo', {}],
  ])(
    'what one account alone draws (%s) puts a route last for that account, for all once a second one draws it',
    (failure, more) => {
      const { health, call } = setUp();
      const one = candidate(more);
      const isLast = () => [task, other, third].map((each) => health.getAvailability(one, each));
      call(one, failure);
      expect(isLast()).toMatchObject([{ last: true }, { last: false }, { last: false }]);
      health.acquirePermit(one, other)?.release(failure);
      expect(isLast()).toMatchObject([{ last: true }, { last: true }, { last: true }]);
      health.acquirePermit(one, third)?.release(null);
      expect(isLast()).toMatchObject([{ last: false }, { last: false }, { last: false }]);
    },
  );

  test('a provider that an operator resumes is called at once, once for each time that he does', () => {
    const { health, call } = setUp();
    const [slow, dead, refused] = ['slow', 'dead', 'refused'].map((model) =>
      candidate({ model, key: key('k') }),
    );
    const states = () => [slow, dead, refused].map((one) => health.getAvailability(one as Candidate, task));
    const meet = () => {
      call(slow as Candidate, 'rate-limit', { retryAfterMs: 60_000 });
      call(refused as Candidate, 'auth');
      for (let i = 0; i < 5; i += 1) {
        call(dead as Candidate, 'transport', { isUnreachable: true });
      }
    };
    meet();
    expect(states()).toMatchObject([{ kind: 'paused' }, { kind: 'paused' }, { last: true }]);
    const resumed = [{ name: 'a', resumedAt: new Date(1) }];
    health.resume(resumed);
    expect(states()).toEqual([1, 2, 3].map(() => ({ kind: 'ready', last: false })));
    meet();
    health.resume([...resumed, { name: 'b', resumedAt: new Date(2) }]);
    expect(states()).toMatchObject([{ kind: 'paused' }, { kind: 'paused' }, { last: true }]);
  });

  test('a vanished model is asked last, and so is everything of a provider that does not serve us', () => {
    const { health, call } = setUp();
    call(candidate(), 'model-gone');
    expect(health.getAvailability(candidate(), task)).toMatchObject({ last: true });
    expect(health.getAvailability(candidate({ model: 'n' }), task)).toMatchObject({ last: false });
    call(candidate({ model: 'n' }), 'geo');
    expect(health.getAvailability(candidate({ model: 'o' }), task)).toMatchObject({ last: true });
    expect(health.reports().map(({ setAside }) => setAside)).toContain(true);
  });
});

describe('the permits of a candidate', () => {
  test('the permits of a candidate are as many as its route says, over all tasks and keys, and are released', () => {
    const { health } = setUp();
    const one = candidate({ concurrency: 2, key: key('k') });
    const permits = [health.acquirePermit(one, task), health.acquirePermit(one, task)];
    expect(health.getAvailability(one, task)).toEqual({ kind: 'busy', last: false });
    expect(health.acquirePermit({ ...one, key: key('l') }, task)).toBeNull();
    expect(health.reports()[0]?.running).toBe(2);
    permits[0]?.release(null);
    expect(health.acquirePermit({ ...one, key: key('l') }, task)).not.toBeNull();
  });
});
