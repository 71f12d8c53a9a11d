import type { CallRow } from '@image-gateway/shared/db';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { base, call, candidate } from '../../test/support/plan-samples.js';
import { FAILURE_TRAITS, type ProviderFailure } from '../providers/failures.js';
import type { Candidate } from '../providers/port.js';
import { planCalls } from './plan-calls.js';

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
      if (plan.calls.length === 0) {
        break;
      }
      for (const planned of plan.calls) {
        const ending = world.endings[next % world.endings.length] ?? 'succeeded';
        next += 1;
        if (ending === 'succeeded') {
          for (const slot of planned.slots) {
            stored.add(slot);
          }
        }
        if (ending === 'short') {
          stored.add(planned.slots[0] ?? 0);
        }
        const failure = ending in FAILURE_TRAITS ? (ending as ProviderFailure) : null;
        calls.push(
          call({
            id: `c${next}`,
            attempt,
            slots: planned.slots,
            provider: planned.candidate.provider.name,
            keyFingerprint: planned.candidate.key?.fingerprint ?? null,
            state: failure ? FAILURE_TRAITS[failure].state : (ending as 'succeeded' | 'short' | 'cut'),
            detail: failure,
          }),
        );
        // A final refusal ends the task before anything else is planned.
        if (failure && FAILURE_TRAITS[failure].finalAfter === 1) {
          return calls;
        }
      }
    }
  }
  return calls;
}
const counts = (calls: readonly CallRow[], of: (row: CallRow) => unknown): number[] => {
  const found = new Map<unknown, number>();
  for (const row of calls) {
    found.set(of(row), (found.get(of(row)) ?? 0) + 1);
  }
  return [...found.values()];
};
const getMax = (numbers: readonly number[]): number => Math.max(0, ...numbers);

describe('plan calls life', () => {
  const forEachSlot = (check: (calls: CallRow[], world: World, slot: number) => void): void =>
    fc.assert(
      fc.property(worlds, (world) => {
        const made = play(world);
        for (let slot = 0; slot < world.outputs; slot += 1) {
          check(
            made.filter(({ slots }) => slots.includes(slot)),
            world,
            slot,
          );
        }
      }),
      { numRuns: 400 },
    );
  const real = (calls: readonly CallRow[]) => calls.filter(({ state }) => state !== 'rate_limited');

  test('an image costs at most three calls to one provider and nine in all', () =>
    forEachSlot((calls) => {
      // A wish that is refused bought nothing, and the same call is asked again without it.
      const whole = real(calls).filter(({ detail }) => detail !== 'wish-refused');
      expect(getMax(counts(whole, (row) => row.provider))).toBeLessThanOrEqual(3);
      expect(real(calls).length).toBeLessThanOrEqual(9);
    }));

  test('four providers that always fail are asked nine times, three times at most each', () => {
    const candidates = ['a', 'b', 'c', 'd'].map((name) => candidate(name));
    const made = play({ candidates, outputs: 1, ambiguousRetries: 0, endings: ['overload'] });
    expect([made.length, getMax(counts(made, (row) => row.provider))]).toEqual([9, 3]);
  });

  test('a provider gives at most two answers that are good by status and lack the image', () =>
    forEachSlot((calls, { outputs }, slot) => {
      const lacking = calls.filter(
        ({ state, slots }) => state === 'unusable' || (state === 'short' && slots[0] !== slot && outputs > 1),
      );
      expect(getMax(counts(lacking, (row) => row.provider))).toBeLessThanOrEqual(2);
    }));

  test('after an unknown outcome an image is asked for no more often than allowed', () =>
    forEachSlot((calls, { ambiguousRetries }) => {
      const unknown = calls.filter(({ state }) => state === 'unknown').length;
      expect(unknown).toBeLessThanOrEqual(ambiguousRetries + 1);
      const last = calls.findLastIndex(({ state }) => state === 'unknown');
      if (unknown > ambiguousRetries) {
        expect(calls.slice(last + 1)).toEqual([]);
      }
    }));

  test('a refused key and a vanished model are left alone for good', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const made = play(world);
        made.forEach((row, i) => {
          const drops = row.detail === 'auth' || row.detail === 'quota';
          const later = made.slice(i + 1).filter(({ attempt }) => attempt > row.attempt);
          if (drops) {
            expect(
              later.some((o) => o.provider === row.provider && o.keyFingerprint === row.keyFingerprint),
            ).toBe(false);
          }
          if (row.detail === 'model-gone') {
            expect(later.some(({ provider: name }) => name === row.provider)).toBe(false);
          }
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
        for (const planned of calls) {
          expect(planned.slots.length).toBeLessThanOrEqual(planned.candidate.maxImagesPerCall);
        }
      }),
    );
  });
});
