import { REASONS } from '@image-gateway/shared/contract';
import type { CallRow } from '@image-gateway/shared/db';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FAILURE_TRAITS, type ProviderFailure } from '../providers/failure-traits.js';
import type { Availability } from '../providers/health/availability.js';
import type { Candidate, ImageProvider } from '../providers/port.js';
import { planCalls } from './plan-calls.js';
import { refusalOf } from './refusal-of.js';

const provider = (name: string): ImageProvider => ({
  ...{ name, upstream: true, asynchronous: false },
  generate: () => {
    throw new Error('not called here');
  },
});
const candidate = (
  name: string,
  more: { perCall?: number; key?: string; model?: string } = {},
): Candidate => ({
  provider: provider(name),
  ...{ takesResolution: true, options: {}, maxImagesPerCall: more.perCall ?? 4, concurrency: 16 },
  model: more.model ?? 'm',
  key: more.key === undefined ? null : { fingerprint: more.key, secret: 'x' },
  listCostMicros: 10n,
});
const ready: Availability = { kind: 'ready', last: false };
const base = {
  ...{ attempt: 1, calls: [], ambiguousRetries: 0, maxUpstreamCostMicros: null },
  availabilityOf: (): Availability => ready,
};
const call = (more: Partial<CallRow>): CallRow => ({
  ...{ id: 'c', attempt: 1, provider: 'a', model: 'm', slots: [0], requestId: null, jobHandle: null },
  ...{ keyFingerprint: null },
  ...{ state: 'failed', detail: 'overload', costMicros: 0n },
  ...more,
});

type Ending = ProviderFailure | 'succeeded' | 'short' | 'cut';
const endings: Ending[] = [
  ...(Object.keys(FAILURE_TRAITS) as ProviderFailure[]),
  'succeeded',
  'short',
  'cut',
];

interface World {
  readonly candidates: Candidate[];
  readonly outputs: number;
  readonly ambiguousRetries: number;
  readonly endings: Ending[];
}
const worlds: fc.Arbitrary<World> = fc.record({
  candidates: fc
    .array(
      fc.tuple(
        fc.constantFrom('a', 'b', 'c', 'd'),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom('k', 'l'),
      ),
      {
        minLength: 1,
        maxLength: 5,
      },
    )
    .map((list) => list.map(([name, perCall, key]) => candidate(name, { perCall, key }))),
  outputs: fc.integer({ min: 1, max: 4 }),
  ambiguousRetries: fc.integer({ min: 0, max: 2 }),
  endings: fc.array(fc.constantFrom(...endings), { minLength: 60, maxLength: 60 }),
});

/** Plays a task through many attempts, every call ending as the script says; gives all calls that were made. */
function play(world: World): CallRow[] {
  const calls: CallRow[] = [];
  const stored = new Set<number>();
  let next = 0;
  for (let attempt = 1; attempt <= 20; attempt += 1) {
    for (let round = 0; round < 20; round += 1) {
      const slots = Array.from({ length: world.outputs }, (_, slot) => slot).filter(
        (slot) => !stored.has(slot),
      );
      const plan = planCalls({ ...base, ...world, attempt, calls, slots });
      if (plan.calls.length === 0) break;
      for (const planned of plan.calls) {
        const ending = world.endings[next % world.endings.length] ?? 'succeeded';
        next += 1;
        if (ending === 'succeeded') for (const slot of planned.slots) stored.add(slot);
        if (ending === 'short') stored.add(planned.slots[0] ?? 0);
        const failure = ending in FAILURE_TRAITS ? (ending as ProviderFailure) : null;
        calls.push(
          call({
            ...{ id: `c${next}`, attempt, slots: planned.slots, provider: planned.candidate.provider.name },
            keyFingerprint: planned.candidate.key?.fingerprint ?? null,
            state: failure ? FAILURE_TRAITS[failure].state : (ending as 'succeeded' | 'short' | 'cut'),
            detail: failure,
          }),
        );
        // A final refusal ends the task before anything else is planned.
        if (failure && FAILURE_TRAITS[failure].finalAfter === 1) return calls;
      }
    }
  }
  return calls;
}
const counts = (calls: readonly CallRow[], of: (row: CallRow) => unknown): number[] => {
  const found = new Map<unknown, number>();
  for (const row of calls) found.set(of(row), (found.get(of(row)) ?? 0) + 1);
  return [...found.values()];
};
const mostOf = (numbers: readonly number[]): number => Math.max(0, ...numbers);

describe('whatever the providers do, over the whole life of a task', () => {
  const forEachSlot = (check: (calls: CallRow[], world: World, slot: number) => void): void =>
    fc.assert(
      fc.property(worlds, (world) => {
        const made = play(world);
        for (let slot = 0; slot < world.outputs; slot += 1)
          check(
            made.filter(({ slots }) => slots.includes(slot)),
            world,
            slot,
          );
      }),
      { numRuns: 400 },
    );
  const real = (calls: readonly CallRow[]) => calls.filter(({ state }) => state !== 'rate_limited');

  test('an image costs at most three calls to one provider and nine in all', () =>
    forEachSlot((calls) => {
      expect(mostOf(counts(real(calls), (row) => row.provider))).toBeLessThanOrEqual(3);
      expect(real(calls).length).toBeLessThanOrEqual(9);
    }));

  test('four providers that always fail are asked nine times, three times at most each', () => {
    const candidates = ['a', 'b', 'c', 'd'].map((name) => candidate(name));
    const made = play({ candidates, outputs: 1, ambiguousRetries: 0, endings: ['overload'] });
    expect([made.length, mostOf(counts(made, (row) => row.provider))]).toEqual([9, 3]);
  });

  test('a provider gives at most two answers that are good by status and lack the image', () =>
    forEachSlot((calls, { outputs }, slot) => {
      const lacking = calls.filter(
        ({ state, slots }) => state === 'unusable' || (state === 'short' && slots[0] !== slot && outputs > 1),
      );
      expect(mostOf(counts(lacking, (row) => row.provider))).toBeLessThanOrEqual(2);
    }));

  test('after an unknown outcome an image is asked for no more often than allowed', () =>
    forEachSlot((calls, { ambiguousRetries }) => {
      const unknown = calls.filter(({ state }) => state === 'unknown').length;
      expect(unknown).toBeLessThanOrEqual(ambiguousRetries + 1);
      const last = calls.findLastIndex(({ state }) => state === 'unknown');
      if (unknown > ambiguousRetries) expect(calls.slice(last + 1)).toEqual([]);
    }));

  test('a refused key and a vanished model are left alone for good', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const made = play(world);
        made.forEach((row, i) => {
          const drops = row.detail === 'auth' || row.detail === 'quota';
          const later = made.slice(i + 1).filter(({ attempt }) => attempt > row.attempt);
          if (drops)
            expect(
              later.some((o) => o.provider === row.provider && o.keyFingerprint === row.keyFingerprint),
            ).toBe(false);
          if (row.detail === 'model-gone')
            expect(later.some(({ provider: name }) => name === row.provider)).toBe(false);
        });
      }),
      { numRuns: 400 },
    );
  });

  test('no call asks for more images than its provider takes, for none, or for one twice', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        for (const { slots } of play(world)) {
          expect(slots.length).toBeGreaterThan(0);
          expect(new Set(slots).size).toBe(slots.length);
        }
        const { calls } = planCalls({ ...base, ...world, slots: [0, 1, 2, 3] });
        for (const planned of calls)
          expect(planned.slots.length).toBeLessThanOrEqual(planned.candidate.maxImagesPerCall);
      }),
    );
  });
});

describe('a plan', () => {
  const [a, b] = [candidate('a'), candidate('b')];

  test('goes to the first candidate, as many images to one call as it takes', () => {
    const single = candidate('a', { perCall: 1 });
    const slotsOf = (one: Candidate) =>
      planCalls({ ...base, candidates: [one, b], slots: [0, 2, 3] }).calls.map(({ slots }) => slots);
    expect(slotsOf(a)).toEqual([[0, 2, 3]]);
    expect(slotsOf(single)).toEqual([[0], [2], [3]]);
  });

  test('waits for another attempt with a provider that failed in this one', () => {
    const input = { ...base, calls: [call({})], candidates: [a], slots: [0] };
    expect(planCalls(input)).toEqual({ calls: [], later: { kind: 'after-failure' } });
    expect(planCalls({ ...input, attempt: 2 }).calls).toHaveLength(1);
    expect(planCalls({ ...input, candidates: [a, b] }).calls[0]?.candidate).toBe(b);
  });

  test('asks again at once after an answer without the image', () => {
    const unusable = call({ state: 'unusable', detail: 'no-image' });
    expect(
      planCalls({ ...base, calls: [unusable], candidates: [a, b], slots: [0] }).calls[0]?.candidate,
    ).toBe(a);
  });

  test('steps over a candidate that rests, and waits for it when there is no other', () => {
    const input = {
      ...{ ...base, candidates: [a, b], slots: [0] },
      availabilityOf: (one: Candidate): Availability => (one === a ? { kind: 'paused', forMs: 70 } : ready),
    };
    expect(planCalls(input).calls[0]?.candidate).toBe(b);
    const paused = { ...input, candidates: [b, a] };
    const both = (one: Candidate): Availability => ({ kind: 'paused', forMs: one === a ? 70 : 900 });
    expect(planCalls({ ...paused, availabilityOf: both })).toEqual({
      ...{ calls: [], later: { kind: 'after-pause', pauseMs: 70 } },
    });
  });

  test('takes an open circuit for the failure that it stands for', () => {
    const input = {
      ...{ ...base, candidates: [a, b], slots: [0] },
      availabilityOf: (one: Candidate): Availability => (one === a ? { kind: 'open' } : ready),
    };
    expect(planCalls(input).calls[0]?.candidate).toBe(b);
    expect(planCalls({ ...input, candidates: [a] }).later).toEqual({ kind: 'after-failure' });
  });

  test('asks what was set aside, or timed out before, when nobody else can be asked', () => {
    const aside = (one: Candidate): Availability => ({ kind: 'ready', last: one === a });
    const input = { ...base, candidates: [a, b], slots: [0] };
    expect(planCalls({ ...input, availabilityOf: aside }).calls[0]?.candidate).toBe(b);
    expect(planCalls({ ...input, availabilityOf: aside, candidates: [a] }).calls[0]?.candidate).toBe(a);
    const later = { ...input, attempt: 2, calls: [call({ detail: 'timeout' })] };
    expect(planCalls(later).calls[0]?.candidate).toBe(b);
    expect(planCalls({ ...later, candidates: [a] }).calls[0]?.candidate).toBe(a);
  });

  test('takes an input that one provider could not read to no other one, and to that one once more', () => {
    const doubt = call({ detail: 'doubtful-input' });
    const input = { ...base, calls: [doubt], candidates: [b, a], slots: [0] };
    expect(planCalls(input).calls[0]?.candidate).toBe(a);
    expect(refusalOf([doubt])).toBeNull();
    expect(refusalOf([doubt, call({ id: 'd', detail: 'doubtful-input' })])).toBe(REASONS.refusedInput);
  });

  test('leaves a provider alone that does not serve us, whichever model and key is next', () => {
    const others = [candidate('a', { model: 'n', key: 'l' }), candidate('a', { model: 'o' })];
    const input = { ...base, attempt: 2, candidates: [...others, b], slots: [0] };
    expect(planCalls({ ...input, calls: [call({ detail: 'geo' })] }).calls[0]?.candidate).toBe(b);
    expect(planCalls({ ...input, calls: [call({ detail: 'auth' })] }).calls[0]?.candidate).toBe(others[0]);
    expect(planCalls({ ...input, calls: [call({ detail: 'geo' })], candidates: others }).later).toEqual({
      kind: 'never',
    });
  });

  test('goes elsewhere with every image when a provider cannot fetch the inputs', () => {
    const input = { ...base, attempt: 2, calls: [call({ detail: 'input-fetch' })], slots: [0, 1] };
    const planned = planCalls({ ...input, candidates: [a, b] }).calls;
    expect(planned.map(({ candidate: one, slots }) => [one, slots])).toEqual([[b, [0, 1]]]);
  });

  test('asks a provider no more for an image that it drew and lost, but for others', () => {
    const lost = call({ state: 'unusable', detail: 'output-expired' });
    const input = { ...base, attempt: 2, calls: [lost], candidates: [a, b], slots: [0, 1] };
    expect(planCalls(input).calls.map(({ candidate: one, slots }) => [one, slots])).toEqual([
      [b, [0]],
      [a, [1]],
    ]);
  });

  test('counts no answer that was a rate limit', () => {
    const limited = Array.from({ length: 9 }, (_, i) =>
      call({ id: `c${i}`, state: 'rate_limited', detail: 'rate-limit' }),
    );
    expect(planCalls({ ...base, calls: limited, candidates: [a], slots: [0] }).calls).toHaveLength(1);
  });

  test('never lifts the upstream cost above its limit', () => {
    const calls = [call({ provider: 'z', costMicros: 15n, state: 'unknown', slots: [3] })];
    const plan = (limit: bigint) =>
      planCalls({ ...base, calls, candidates: [a], slots: [0, 1, 2], maxUpstreamCostMicros: limit });
    expect(plan(35n).calls.map(({ slots }) => slots)).toEqual([[0, 1]]);
    expect(plan(24n)).toEqual({ calls: [], later: { kind: 'never' } });
  });
});
