import { createMetrics } from '@image-gateway/shared/metrics';
import { describe, expect, test } from '@jest/globals';
import type { ProviderFailure } from '../providers/failures.js';
import type { Candidate, ImageProvider } from '../providers/port.js';
import { createHealth } from './create-health.js';

const signal = new AbortController().signal;
const candidate = (more: Partial<Candidate> & { upstream?: boolean } = {}): Candidate => ({
  provider: { name: 'a', upstream: more.upstream ?? true, asynchronous: false } as ImageProvider,
  ...{ model: 'm', key: null, takesResolution: true, options: {}, maxImagesPerCall: 1, concurrency: 8 },
  listCostMicros: 1n,
  ...more,
});
const key = (fingerprint: string) => ({ fingerprint, secret: 'x' });

function setUp() {
  let now = 1_000_000;
  const metrics = createMetrics('test');
  const health = createHealth({ metrics, now: () => now });
  const call = async (one: Candidate, failure: ProviderFailure | 'cut' | null, retryAfterMs?: number) => {
    const permit = await health.acquirePermit(one, signal);
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
    expect(health.getAvailability(one)).toEqual({ kind: 'open' });
    expect(await call(one, null)).toBe(false);
    pass(5_000);
    const probe = await health.acquirePermit(one, signal);
    expect(probe).not.toBeNull();
    expect(health.getAvailability(one)).toMatchObject({ kind: 'paused' });
    expect(await health.acquirePermit(one, signal)).toBeNull();
    probe?.release('overload');
    await new Promise((resolve) => setImmediate(resolve));
    pass(5_000);
    expect(health.getAvailability(one)).toEqual({ kind: 'open' });
    pass(5_000);
    expect(await call(one, null)).toBe(true);
    expect(health.getAvailability(one)).toEqual({ kind: 'ready', last: false });
  });

  test('the circuit of a candidate says nothing about the provider’s other models, and counts no refusal of content or input', async () => {
    const { health, call } = setUp();
    for (let i = 0; i < 9; i += 1) {
      await call(candidate(), 'moderation');
    }
    expect(health.getAvailability(candidate()).kind).toBe('ready');
    for (let i = 0; i < 9; i += 1) {
      await call(candidate(), 'transport');
    }
    expect(health.getAvailability(candidate()).kind).toBe('open');
    expect(health.getAvailability(candidate({ model: 'n' })).kind).toBe('ready');
  });

  test('the circuit of a candidate learns nothing from calls that our own side cut, and is not closed by one', async () => {
    const { health, call, pass } = setUp();
    const one = candidate();
    for (let i = 0; i < 4; i += 1) {
      await call(one, 'overload');
    }
    await call(one, 'cut');
    expect(health.getAvailability(one).kind).toBe('ready');
    await call(one, 'overload');
    expect(health.getAvailability(one).kind).toBe('open');
    pass(5_000);
    expect(await call(one, 'cut')).toBe(true);
    expect(health.getAvailability(one).kind).toBe('open');
  });

  test('the circuit of a candidate never opens for a provider behind which nobody stands', async () => {
    const { health, call } = setUp();
    for (let i = 0; i < 9; i += 1) {
      await call(candidate({ upstream: false }), 'overload');
    }
    expect(health.getAvailability(candidate({ upstream: false })).kind).toBe('ready');
  });
});

describe('what one task learns, all tasks know', () => {
  test('a rate limit pauses this key for as long as the provider says, and no other key', async () => {
    const { health, call, pass } = setUp();
    const [one, other] = [candidate({ key: key('k') }), candidate({ key: key('l') })];
    await call(one, 'rate-limit', 7_000);
    expect(health.getAvailability(one)).toEqual({ kind: 'paused', forMs: 7_000 });
    expect(health.getAvailability(other).kind).toBe('ready');
    expect(health.reports()[0]?.pausedMs).toEqual({ k: 7_000 });
    pass(7_000);
    expect(health.getAvailability(one).kind).toBe('ready');
    await call(one, 'rate-limit', 1e12);
    expect(health.getAvailability(one)).toEqual({ kind: 'paused', forMs: 60 * 60_000 });
  });

  test('a rate limit of an account pauses all models of the key, and a model that is overloaded as long as it says', async () => {
    const { health, call } = setUp();
    const provider = { name: 'a', upstream: true, asynchronous: true, limitsAccount: true } as ImageProvider;
    const one = candidate({ provider, key: key('k') });
    await call(one, 'rate-limit', 2_000);
    expect(health.getAvailability({ ...one, model: 'n' })).toEqual({ kind: 'paused', forMs: 2_000 });
    expect(health.getAvailability({ ...one, key: key('l') }).kind).toBe('ready');
    expect(health.reports()[0]?.pausedMs).toEqual({ k: 2_000 });
    const other = candidate({ model: 'o' });
    await call(other, 'overload');
    expect(health.getAvailability(other).kind).toBe('ready');
    await call(other, 'overload', 3_000);
    expect(health.getAvailability(other)).toEqual({ kind: 'paused', forMs: 3_000 });
    expect(health.getAvailability(candidate()).kind).toBe('ready');
  });

  test('a refused key is asked last for ten minutes, a used-up quota for an hour, and an operator is told', async () => {
    const { health, metrics, call, pass } = setUp();
    const one = candidate({ key: key('k') });
    await call(one, 'auth');
    expect(health.getAvailability(one)).toEqual({ kind: 'ready', last: true });
    expect(health.getAvailability(candidate({ key: key('k'), model: 'n' }))).toMatchObject({ last: true });
    expect(health.getAvailability(candidate({ key: key('l') }))).toMatchObject({ last: false });
    expect(health.reports()[0]?.keysSetAside).toEqual(['k']);
    pass(10 * 60_000);
    expect(health.getAvailability(one)).toMatchObject({ last: false });
    await call(one, 'quota');
    pass(59 * 60_000);
    expect(health.getAvailability(one)).toMatchObject({ last: true });
    const { values } = await metrics.providerAlerts.get();
    expect(values).toMatchObject([
      { labels: { provider: 'a', model: 'm', failure: 'auth' }, value: 1 },
      { labels: { provider: 'a', model: 'm', failure: 'quota' }, value: 1 },
    ]);
  });

  test('a vanished model is asked last, and so is everything of a provider that does not serve us', async () => {
    const { health, call } = setUp();
    await call(candidate(), 'model-gone');
    expect(health.getAvailability(candidate())).toMatchObject({ last: true });
    expect(health.getAvailability(candidate({ model: 'n' }))).toMatchObject({ last: false });
    await call(candidate({ model: 'n' }), 'geo');
    expect(health.getAvailability(candidate({ model: 'o' }))).toMatchObject({ last: true });
    expect(health.reports().map(({ setAside }) => setAside)).toContain(true);
  });
});

describe('the permits of a candidate', () => {
  test('the permits of a candidate are as many as its route says, over all tasks and keys, and are released', async () => {
    const { health } = setUp();
    const one = candidate({ concurrency: 2, key: key('k') });
    const permits = [await health.acquirePermit(one, signal), await health.acquirePermit(one, signal)];
    let third = false;
    const acquiring = health.acquirePermit({ ...one, key: key('l') }, signal).then((permit) => {
      third = true;
      return permit;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(third).toBe(false);
    expect(health.reports()[0]?.running).toBe(2);
    permits[0]?.release(null);
    expect(await acquiring).not.toBeNull();
  });

  test('the permits of a candidate are not kept by a task that was stopped while it waited', async () => {
    const { health } = setUp();
    const one = candidate({ concurrency: 1 });
    const first = await health.acquirePermit(one, signal);
    const stop = new AbortController();
    const waiting = health.acquirePermit(one, stop.signal);
    stop.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    first?.release(null);
    expect(await health.acquirePermit(one, signal)).not.toBeNull();
  });
});
