import type { CallRow } from '@image-gateway/shared/db';
import { type FailureTraits, getFailureTraits } from '../providers/failures.js';
import type { Candidate } from '../providers/port.js';

/** Limits of the calls for one image over the life of a task. */
export const CALL_LIMITS = { callsToOneProvider: 3, callsInAll: 9, unusableResponses: 2 } as const;

/**
 * Earliest call to a candidate for an image: `now`, or when no other is left (`last`). The value `after-failure` means in a later
 * attempt, because it failed in this one.
 */
export type Eligibility = 'now' | 'last' | 'after-failure' | 'never';

/** Calls that the limits are applied to. */
export interface CallHistory {
  /** Number of the running attempt. */
  readonly attempt: number;
  /** All calls ever made for the task, running ones included. */
  readonly calls: readonly CallRow[];
  /** Number of further calls for an image after an unknown outcome. */
  readonly ambiguousRetries: number;
  /** Names of providers where such a call costs nothing, and is repeated like any other failure. */
  readonly freeProviders?: ReadonlySet<string>;
  /** Returns true for a candidate that takes what the task requires; absent: each does. */
  readonly takes?: (candidate: Candidate, slot: number) => boolean;
}

/** Returns when a candidate may be called for one image; a pure function of the known calls. */
export function getEligibility(history: CallHistory, candidate: Candidate, slot: number): Eligibility {
  const { provider, model, key } = candidate;
  const toProvider = history.calls.filter((call) => call.provider === provider.name);
  const hasKey = (call: CallRow): boolean => call.keyFingerprint === (key?.fingerprint ?? null);
  const hasModel = (call: CallRow): boolean => call.model === model;
  const isOfDropped: Readonly<Record<FailureTraits['drops'], (call: CallRow) => boolean>> = {
    nothing: () => false,
    access: (call) => hasKey(call) && hasModel(call),
    key: hasKey,
    candidate: hasModel,
    provider: () => true,
  };
  const isDropped = toProvider.some((call) =>
    isOfDropped[getFailureTraits(call.detail)?.drops ?? 'nothing'](call),
  );
  if (isDropped) {
    return 'never';
  }

  if (history.takes?.(candidate, slot) === false) {
    return 'never';
  }

  // A rate-limited request does not count.
  const forSlot = history.calls.filter((call) => call.slots.includes(slot) && call.state !== 'rate_limited');
  if (forSlot.length >= CALL_LIMITS.callsInAll) {
    return 'never';
  }
  const unknown = forSlot.filter(
    (call) => call.state === 'unknown' && !history.freeProviders?.has(call.provider),
  );
  if (unknown.length > history.ambiguousRetries) {
    return 'never';
  }
  const own = forSlot.filter((call) => call.provider === provider.name);
  const isBoundElsewhere = forSlot.some(
    (call) => call.provider !== provider.name && (getFailureTraits(call.detail)?.finalAfter ?? null) !== null,
  );
  // A refused preference bought nothing, and the same call without it is another one.
  const counted = own.filter(({ detail }) => detail !== 'wish-refused');
  if (isBoundElsewhere || counted.length >= CALL_LIMITS.callsToOneProvider) {
    return 'never';
  }
  // For a missing image, a response with fewer images than requested was one without it.
  const withoutIt = own.filter(({ state }) => state === 'unusable' || state === 'short');
  if (withoutIt.length >= CALL_LIMITS.unusableResponses) {
    return 'never';
  }
  const responses = own.map((call) => ({ call, again: getFailureTraits(call.detail)?.sameProvider }));
  if (responses.some(({ call, again }) => again === 'other-model' && call.model === model)) {
    return 'never';
  }
  // A refused key or a vanished model says nothing about the provider's other keys and models.
  if (
    responses.some(
      ({ call, again }) => again === 'never' && getFailureTraits(call.detail)?.drops === 'nothing',
    )
  ) {
    return 'never';
  }

  const failedNow = responses.some(
    ({ call, again }) =>
      call.attempt === history.attempt && (again === 'next-attempt' || again === 'last-resort'),
  );
  if (failedNow) {
    return 'after-failure';
  }
  return responses.some(({ again }) => again === 'last-resort') ? 'last' : 'now';
}
