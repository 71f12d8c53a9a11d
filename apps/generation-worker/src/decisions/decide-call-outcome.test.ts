import { REASONS } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import { describe, expect, test } from '@jest/globals';
import { AttemptAborted } from '../attempt/attempt.js';
import type { CallProgress } from '../calls/started-call.js';
import { FAILURE_TRAITS, ProviderError, type ProviderFailure } from '../providers/failures.js';
import { decideGenerationEnd } from './decide-attempt-end.js';
import { decideCallOutcome } from './decide-call-outcome.js';

const outcome = (
  progress: Partial<CallProgress>,
  more: Partial<Parameters<typeof decideCallOutcome>[0]> = {},
) =>
  decideCallOutcome({
    requested: 3,
    isAsynchronous: false,
    recordsFirst: false,
    listCostMicros: 10n,
    thrown: null,
    isAborted: false,
    progress: {
      delivered: 0,
      unusable: 0,
      tooSmall: { refused: 0, delivered: 0 },
      job: null,
      upstreamId: null,
      costMicros: null,
      isCostRefused: false,
      parkedMs: null,
      ...progress,
    },
    ...more,
  });

describe('what is written down of a call', () => {
  test.each([
    [3, 'succeeded', 30n],
    [2, 'short', 20n],
    [0, 'unusable', 30n],
  ])('what is written down of a call with %d of 3 images: %s', (delivered, state, costMicros) => {
    expect(outcome({ delivered })).toMatchObject({
      outcome: { state, costMicros },
      report: { kind: 'done' },
    });
  });

  test('images that are all broken count as a bad response, which the circuit counts', () => {
    expect(outcome({ unusable: 2 })).toMatchObject({
      outcome: { detail: 'bad-response' },
      failure: 'bad-response',
    });
    expect(outcome({})).toMatchObject({ outcome: { detail: 'no-image' }, failure: 'no-image' });
    expect(outcome({ unusable: 1, delivered: 2 })).toMatchObject({
      outcome: { state: 'short' },
      failure: null,
    });
  });

  test('what the provider says it cost counts more than its price list', () => {
    expect(outcome({ delivered: 3, costMicros: 7n }).outcome?.costMicros).toBe(7n);
  });

  test.each(Object.keys(FAILURE_TRAITS) as ProviderFailure[])('a failure keeps its class: %s', (failure) => {
    const end = outcome({ delivered: 1 }, { thrown: new ProviderError(failure, 'x', { retryAfterMs: 9 }) });
    expect(end.outcome).toMatchObject({ state: FAILURE_TRAITS[failure].state, detail: failure });
    expect(end.report?.kind).toBe(FAILURE_TRAITS[failure].finalAfter === 1 ? 'refused' : 'done');
  });

  test('what an adapter throws beside its errors makes no sense, and may be asked again', () => {
    expect(outcome({}, { thrown: new TypeError('undefined is not an image') })).toMatchObject({
      outcome: { state: 'unusable', detail: 'bad-response' },
      report: { kind: 'done' },
    });
  });

  test('an unknown outcome counts at its list price', () => {
    const { outcome: row } = outcome({}, { thrown: new ProviderError('unknown', 'x') });
    expect(row).toMatchObject({ state: 'unknown', costMicros: 30n });
  });

  test.each([
    ['stopped', { isAborted: true, thrown: new Error('whatever') }],
    ['overtaken while storing', { thrown: new AttemptAborted('lost') }],
    ['broken by our own database', { thrown: new AppError('INTERNAL_ERROR') }],
  ])(
    'cut by our side (%s): a synchronous call is cut, a submission without id unknown, a job goes on',
    (_why, more) => {
      // Both may have been billed, so ceilings and margins count them at the list price.
      expect(outcome({}, more)).toMatchObject({ outcome: { state: 'cut', costMicros: 30n }, report: null });
      expect(outcome({}, { ...more, isAsynchronous: true })).toMatchObject({
        outcome: { state: 'unknown', costMicros: 30n },
      });
      // Nothing was sent before the job was saved.
      expect(outcome({}, { ...more, recordsFirst: true })).toMatchObject({
        outcome: { state: 'cut', costMicros: 0n },
      });
      expect(outcome({ job: { id: 'j', handle: null } }, { ...more, isAsynchronous: true })).toEqual({
        outcome: null,
        report: null,
        failure: null,
      });
    },
  );

  test('a parked job is left as it is', () => {
    expect(outcome({ job: { id: 'j', handle: null }, parkedMs: 50 })).toEqual({
      outcome: null,
      failure: null,
      report: { kind: 'parked', delayMs: 50 },
    });
  });
});

describe('how an attempt ends', () => {
  const failed = { kind: 'after-failure' } as const;
  const end = (more: Partial<Parameters<typeof decideGenerationEnd>[0]>) =>
    decideGenerationEnd({
      missing: 1,
      refusal: null,
      reports: [],
      later: { kind: 'never' },
      refusesNeed: false,
      permitDueMs: 2_000,
      ...more,
    });

  test('how an attempt ends settled when nothing is missing, refused, or nobody may be asked any more', () => {
    expect(end({ missing: 0, later: failed }).kind).toBe('settle');
    expect(end({ refusal: REASONS.moderation, later: failed })).toEqual({
      kind: 'settle',
      reason: REASONS.moderation,
    });
    expect(end({})).toEqual({ kind: 'settle', reason: REASONS.upstream });
  });

  test('how an attempt ends with a try used up after a failure, without one for a pause of an hour at most', () => {
    expect(end({ later: failed }).kind).toBe('retry');
    const paused = (pauseMs: number) => end({ later: { kind: 'after-pause', pauseMs, candidates: [] } });
    expect(paused(2_000)).toMatchObject({ kind: 'release', delayMs: 2_000 });
    expect(paused(1e9)).toMatchObject({ kind: 'release', delayMs: 3_600_000 });
  });

  test('how an attempt ends without a used try, its place given back, where only a permit is missing', () => {
    const later = { kind: 'after-permit', candidates: [] } as const;
    expect(end({ later, permitDueMs: 7_000 })).toEqual({
      kind: 'release',
      delayMs: 7_000,
      why: 'no-permit',
      waitsFor: [],
    });
  });

  test('how an attempt ends never given up while a job is parked, whatever became of the other calls', () => {
    const reports = [{ kind: 'parked', delayMs: 70 } as const];
    for (const more of [{}, { refusal: REASONS.moderation }, { later: failed }]) {
      expect(end({ reports, ...more })).toEqual({ kind: 'release', delayMs: 70, why: 'parked' });
    }
  });
});
