import { REASONS } from '@image-gateway/shared/contract';
import { describe, expect, test } from '@jest/globals';
import { base, call, candidate, ready } from '../../test/support/plan-samples.js';
import { findRefusal } from '../decisions/find-refusal.js';
import type { Candidate } from '../providers/port.js';
import type { Availability } from './create-health.js';
import { planCalls } from './plan-calls.js';

describe('plan calls', () => {
  const [a, b] = [candidate('a'), candidate('b')];

  test('a plan goes to the first candidate, as many images to one call as it takes', () => {
    const single = candidate('a', { perCall: 1 });
    const planSlots = (one: Candidate) =>
      planCalls({ ...base, candidates: [one, b], slots: [0, 2, 3] }).calls.map(({ slots }) => slots);
    expect(planSlots(a)).toEqual([[0, 2, 3]]);
    expect(planSlots(single)).toEqual([[0], [2], [3]]);
  });

  test('a plan waits for another attempt with a provider that failed in this one', () => {
    const input = { ...base, calls: [call({})], candidates: [a], slots: [0] };
    expect(planCalls(input)).toEqual({ calls: [], later: { kind: 'after-failure' } });
    expect(planCalls({ ...input, attempt: 2 }).calls).toHaveLength(1);
    expect(planCalls({ ...input, candidates: [a, b] }).calls[0]?.candidate).toBe(b);
  });

  test('a plan asks again at once after an answer without the image', () => {
    const unusable = call({ state: 'unusable', detail: 'no-image' });
    expect(
      planCalls({ ...base, calls: [unusable], candidates: [a, b], slots: [0] }).calls[0]?.candidate,
    ).toBe(a);
  });

  test('a plan steps over a candidate that rests, and waits for it when there is no other', () => {
    const input = {
      ...base,
      candidates: [a, b],
      slots: [0],
      getAvailability: (one: Candidate): Availability => (one === a ? { kind: 'paused', forMs: 70 } : ready),
    };
    expect(planCalls(input).calls[0]?.candidate).toBe(b);
    const paused = { ...input, candidates: [b, a] };
    const both = (one: Candidate): Availability => ({ kind: 'paused', forMs: one === a ? 70 : 900 });
    expect(planCalls({ ...paused, getAvailability: both })).toEqual({
      calls: [],
      later: { kind: 'after-pause', pauseMs: 70, candidates: [b, a] },
    });
  });

  test.each(['no-access', 'model-quota'])(
    'a plan leaves a key alone with the model that it may not use, and with no other: %s',
    (detail) => {
      const refused = call({ detail, keyFingerprint: 'k' });
      const choose = (...candidates: Candidate[]) =>
        planCalls({ ...base, calls: [refused], candidates, slots: [0] }).calls[0]?.candidate;
      const [same, otherModel, otherKey] = [
        candidate('a', { key: 'k' }),
        candidate('a', { key: 'k', model: 'former' }),
        candidate('a', { key: 'l' }),
      ];
      expect(choose(same)).toBeUndefined();
      expect(choose(same, otherModel)).toBe(otherModel);
      expect(choose(same, otherKey)).toBe(otherKey);
    },
  );

  test('a plan repeats an unknown outcome at once where repeating costs nothing, within the limits of calls', () => {
    const unknown = (attempt: number) => call({ state: 'unknown', detail: 'unknown', attempt });
    const choose = (calls: number, freeProviders: ReadonlySet<string>) =>
      planCalls({
        ...base,
        attempt: 9,
        calls: Array.from({ length: calls }, (_, index) => unknown(index + 1)),
        candidates: [a],
        slots: [0],
        freeProviders,
      }).calls.length;
    expect([1, 2, 3].map((calls) => choose(calls, new Set(['a'])))).toEqual([1, 1, 0]);
    expect(choose(1, new Set(['b']))).toBe(0);
  });

  test('a plan repeats a job that was stopped upstream once, in a later attempt', () => {
    const stopped = call({ detail: 'canceled' });
    const input = { ...base, calls: [stopped], candidates: [a], slots: [0] };
    expect([planCalls(input).later.kind, findRefusal([stopped])]).toEqual(['after-failure', null]);
    expect(planCalls({ ...input, attempt: 2 }).calls).toHaveLength(1);
    expect(findRefusal([stopped, stopped])).toBe(REASONS.upstream);
  });

  test('a plan in which nobody may be asked now waits, and is a failure only where a provider has failed in this attempt', () => {
    const paused: Availability = { kind: 'paused', forMs: 5_000 };
    const input = {
      ...base,
      candidates: [a, b],
      slots: [0],
      getAvailability: (one: Candidate): Availability => (one === a ? paused : ready),
    };
    expect(planCalls(input).calls[0]?.candidate).toBe(b);
    expect(planCalls({ ...input, candidates: [a] }).later).toMatchObject({ kind: 'after-pause' });
    const failed = { ...input, calls: [call({ provider: 'b' })] };
    expect(planCalls(failed).later).toEqual({ kind: 'after-failure' });
    expect(planCalls({ ...failed, attempt: 2, getAvailability: () => paused }).later.kind).toBe(
      'after-pause',
    );
  });

  test('a plan asks what was set aside, or timed out before, when nobody else can be asked', () => {
    const aside = (one: Candidate): Availability => ({ kind: 'ready', last: one === a });
    const input = { ...base, candidates: [a, b], slots: [0] };
    expect(planCalls({ ...input, getAvailability: aside }).calls[0]?.candidate).toBe(b);
    expect(planCalls({ ...input, getAvailability: aside, candidates: [a] }).calls[0]?.candidate).toBe(a);
    const later = { ...input, attempt: 2, calls: [call({ detail: 'timeout' })] };
    expect(planCalls(later).calls[0]?.candidate).toBe(b);
    expect(planCalls({ ...later, candidates: [a] }).calls[0]?.candidate).toBe(a);
  });

  test('a plan takes an input that one provider could not read to no other one, and to that one once more', () => {
    const doubt = call({ detail: 'doubtful-input' });
    const input = { ...base, calls: [doubt], candidates: [b, a], slots: [0] };
    expect(planCalls(input).calls[0]?.candidate).toBe(a);
    expect(findRefusal([doubt])).toBeNull();
    expect(findRefusal([doubt, call({ id: 'd', detail: 'doubtful-input' })])).toBe(REASONS.refusedInput);
  });

  test('a plan leaves a provider alone that does not serve us, whichever model and key is next', () => {
    const others = [candidate('a', { model: 'n', key: 'l' }), candidate('a', { model: 'o' })];
    const input = { ...base, attempt: 2, candidates: [...others, b], slots: [0] };
    expect(planCalls({ ...input, calls: [call({ detail: 'geo' })] }).calls[0]?.candidate).toBe(b);
    expect(planCalls({ ...input, calls: [call({ detail: 'auth' })] }).calls[0]?.candidate).toBe(others[0]);
    expect(planCalls({ ...input, calls: [call({ detail: 'geo' })], candidates: others }).later).toEqual({
      kind: 'never',
    });
  });

  test('a plan goes elsewhere with every image when a provider cannot fetch the inputs', () => {
    const input = { ...base, attempt: 2, calls: [call({ detail: 'input-fetch' })], slots: [0, 1] };
    const planned = planCalls({ ...input, candidates: [a, b] }).calls;
    expect(planned.map(({ candidate: one, slots }) => [one, slots])).toEqual([[b, [0, 1]]]);
  });

  test('a plan asks a provider no more for an image that it drew and lost, but for others', () => {
    const lost = call({ state: 'unusable', detail: 'output-expired' });
    const input = { ...base, attempt: 2, calls: [lost], candidates: [a, b], slots: [0, 1] };
    expect(planCalls(input).calls.map(({ candidate: one, slots }) => [one, slots])).toEqual([
      [b, [0]],
      [a, [1]],
    ]);
  });

  test('a plan counts no answer that was a rate limit', () => {
    const limited = Array.from({ length: 9 }, (_, i) =>
      call({ id: `c${i}`, state: 'rate_limited', detail: 'rate-limit' }),
    );
    expect(planCalls({ ...base, calls: limited, candidates: [a], slots: [0] }).calls).toHaveLength(1);
  });

  test('a plan never lifts the upstream cost above its limit', () => {
    const calls = [call({ provider: 'z', costMicros: 15n, state: 'unknown', slots: [3] })];
    const plan = (limit: bigint) =>
      planCalls({ ...base, calls, candidates: [a], slots: [0, 1, 2], maxUpstreamCostMicros: limit });
    expect(plan(35n).calls.map(({ slots }) => slots)).toEqual([[0, 1]]);
    expect(plan(24n)).toEqual({ calls: [], later: { kind: 'never' } });
  });
});
