import { createMetrics } from '@image-gateway/shared/metrics';
import { describe, expect, test } from '@jest/globals';
import type { ProviderFailure } from '../providers/failures.js';
import type { Candidate, ImageProvider } from '../providers/port.js';
import { createHealth } from './create-health.js';

const task = { id: 't', accountId: 'a', attempt: 1 };
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
  const call = async (one: Candidate, failure: ProviderFailure | 'cut' | null, retryAfterMs?: number) => {
    const permit = health.acquirePermit(one, task);
    permit?.release(failure, retryAfterMs);
    // The circuit hears of it in a later turn.
    await new Promise((resolve) => setImmediate(resolve));
    return permit !== null;
  };
  const pass = (ms: number): void => {
    now += ms;
  };
  return { health, metrics, call, pass };
}

describe('the circuit of a candidate', () => {
  test('the circuit of a candidate opens after five failures in a row, and tries one call at a time once its break is over', async () => {
    const { health, call, pass } = setUp();
    const one = candidate();
    for (let i = 0; i < 4; i += 1) {
      await call(one, 'overload');
    }
    await call(one, null);
    for (let i = 0; i < 5; i += 1) {
      expect(await call(one, 'upstream-error')).toBe(true);
    }
    expect(health.getAvailability(one, task)).toEqual({ kind: 'open' });
    expect(await call(one, null)).toBe(false);
    pass(5_000);
    const probe = health.acquirePermit(one, task);
    expect(probe).not.toBeNull();
    expect(health.getAvailability(one, task)).toMatchObject({ kind: 'paused' });
    expect(health.acquirePermit(one, task)).toBeNull();
    probe?.release('overload');
    await new Promise((resolve) => setImmediate(resolve));
    pass(5_000);
    expect(health.getAvailability(one, task)).toEqual({ kind: 'open' });
    pass(5_000);
    expect(await call(one, null)).toBe(true);
    expect(health.getAvailability(one, task)).toEqual({ kind: 'ready', last: false });
  });

  test('the circuit of a candidate says nothing about the provider’s other models, and counts no refusal of content or input', async () => {
    const { health, call } = setUp();
    for (let i = 0; i < 9; i += 1) {
      await call(candidate(), 'moderation');
    }
    expect(health.getAvailability(candidate(), task).kind).toBe('ready');
    for (let i = 0; i < 9; i += 1) {
      await call(candidate(), 'transport');
    }
    expect(health.getAvailability(candidate(), task).kind).toBe('open');
    expect(health.getAvailability(candidate({ model: 'n' }), task).kind).toBe('ready');
  });

  test('the circuit of a candidate learns nothing from calls that our own side cut, and is not closed by one', async () => {
    const { health, call, pass } = setUp();
    const one = candidate();
    for (let i = 0; i < 4; i += 1) {
      await call(one, 'overload');
    }
    await call(one, 'cut');
    expect(health.getAvailability(one, task).kind).toBe('ready');
    await call(one, 'overload');
    expect(health.getAvailability(one, task).kind).toBe('open');
    pass(5_000);
    expect(await call(one, 'cut')).toBe(true);
    expect(health.getAvailability(one, task).kind).toBe('open');
  });

  test('the circuit of a candidate never opens for a provider behind which nobody stands', async () => {
    const { health, call } = setUp();
    for (let i = 0; i < 9; i += 1) {
      await call(candidate({ upstream: false }), 'overload');
    }
    expect(health.getAvailability(candidate({ upstream: false }), task).kind).toBe('ready');
  });
});

describe('what one task learns, all tasks know', () => {
  test('a rate limit pauses this key for as long as the provider says, and no other key', async () => {
    const { health, call, pass } = setUp();
    const [one, other] = [candidate({ key: key('k') }), candidate({ key: key('l') })];
    await call(one, 'rate-limit', 7_000);
    expect(health.getAvailability(one, task)).toEqual({ kind: 'paused', forMs: 7_000 });
    expect(health.getAvailability(other, task).kind).toBe('ready');
    expect(health.reports()[0]?.pausedMs).toEqual({ k: 7_000 });
    pass(7_000);
    expect(health.getAvailability(one, task).kind).toBe('ready');
    await call(one, 'rate-limit', 1e12);
    expect(health.getAvailability(one, task)).toEqual({ kind: 'paused', forMs: 60 * 60_000 });
  });

  test('a rate limit of an account pauses all models of the key, and a model that is overloaded as long as it says', async () => {
    const { health, call } = setUp();
    const provider = { name: 'a', upstream: true, asynchronous: true, limitsAccount: true } as ImageProvider;
    const one = candidate({ provider, key: key('k') });
    await call(one, 'rate-limit', 2_000);
    expect(health.getAvailability({ ...one, model: 'n' }, task)).toEqual({ kind: 'paused', forMs: 2_000 });
    expect(health.getAvailability({ ...one, key: key('l') }, task).kind).toBe('ready');
    expect(health.reports()[0]?.pausedMs).toEqual({ k: 2_000 });
    const other = candidate({ model: 'o' });
    await call(other, 'overload');
    expect(health.getAvailability(other, task).kind).toBe('ready');
    await call(other, 'overload', 3_000);
    expect(health.getAvailability(other, task)).toEqual({ kind: 'paused', forMs: 3_000 });
    expect(health.getAvailability(candidate(), task).kind).toBe('ready');
  });

  test('a refused key is asked last for ten minutes, a used-up quota for an hour, and an operator is told', async () => {
    const { health, metrics, call, pass } = setUp();
    const one = candidate({ key: key('k') });
    await call(one, 'auth');
    expect(health.getAvailability(one, task)).toEqual({ kind: 'ready', last: true });
    expect(health.getAvailability(candidate({ key: key('k'), model: 'n' }), task)).toMatchObject({
      last: true,
    });
    expect(health.getAvailability(candidate({ key: key('l') }), task)).toMatchObject({ last: false });
    expect(health.reports()[0]?.keysSetAside).toEqual(['k']);
    pass(10 * 60_000);
    expect(health.getAvailability(one, task)).toMatchObject({ last: false });
    await call(one, 'quota');
    pass(59 * 60_000);
    expect(health.getAvailability(one, task)).toMatchObject({ last: true });
    const { values } = await metrics.providerAlerts.get();
    expect(values).toMatchObject([
      { labels: { provider: 'a', model: 'm', failure: 'auth' }, value: 1 },
      { labels: { provider: 'a', model: 'm', failure: 'quota' }, value: 1 },
    ]);
  });

  test('a model that a key may not use, or has used up, is asked last with that key alone', async () => {
    const { health, call, pass } = setUp();
    for (const [failure, minutes] of [
      ['no-access', 10],
      ['model-quota', 60],
    ] as const) {
      const refused = candidate({ model: failure, key: key('a') });
      await call(refused, failure);
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

  test('a vanished model is asked last, and so is everything of a provider that does not serve us', async () => {
    const { health, call } = setUp();
    await call(candidate(), 'model-gone');
    expect(health.getAvailability(candidate(), task)).toMatchObject({ last: true });
    expect(health.getAvailability(candidate({ model: 'n' }), task)).toMatchObject({ last: false });
    await call(candidate({ model: 'n' }), 'geo');
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
