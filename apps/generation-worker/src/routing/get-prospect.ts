import type { CallRow } from '@image-gateway/shared/db';
import { getFailureTraits } from '../providers/failures.js';
import type { Candidate } from '../providers/port.js';

/** Ceilings of the calls for one image over the life of a task. */
export const CALL_LIMITS = { callsToOneProvider: 3, callsInAll: 9, unusableAnswers: 2 } as const;

/** Whether a candidate may be asked for an image: `now`, when nobody else can be (`last`), in a later attempt because it failed in this one, or never again. */
export type Prospect = 'now' | 'last' | 'after-failure' | 'never';

/** What the ceilings are worked out from. */
export interface CallHistory {
  /** The number of the attempt that runs. */
  readonly attempt: number;
  /** All calls ever made for the task, running ones included. */
  readonly calls: readonly CallRow[];
  /** How often an image may be asked for again after an unknown outcome. */
  readonly ambiguousRetries: number;
}

/** Says whether a candidate may be asked for one image; a pure function of the calls that are known. */
export function getProspect(history: CallHistory, candidate: Candidate, slot: number): Prospect {
  const { provider, model, key } = candidate;
  const toProvider = history.calls.filter((call) => call.provider === provider.name);
  const drops = (what: 'key' | 'candidate' | 'provider', same: (call: CallRow) => boolean): boolean =>
    toProvider.some((call) => same(call) && getFailureTraits(call.detail)?.drops === what);
  if (drops('key', (call) => call.keyFingerprint === (key?.fingerprint ?? null))) return 'never';
  if (drops('candidate', (call) => call.model === model)) return 'never';
  if (drops('provider', () => true)) return 'never';

  // A request that was answered with a rate limit is no call.
  const forSlot = history.calls.filter((call) => call.slots.includes(slot) && call.state !== 'rate_limited');
  if (forSlot.length >= CALL_LIMITS.callsInAll) return 'never';
  if (forSlot.filter(({ state }) => state === 'unknown').length > history.ambiguousRetries) return 'never';
  const own = forSlot.filter((call) => call.provider === provider.name);
  const takenNowhereElse = forSlot.some(
    (call) => call.provider !== provider.name && (getFailureTraits(call.detail)?.finalAfter ?? null) !== null,
  );
  if (takenNowhereElse || own.length >= CALL_LIMITS.callsToOneProvider) return 'never';
  // For an image that is still missing, an answer with fewer images than asked was one without it.
  const withoutIt = own.filter(({ state }) => state === 'unusable' || state === 'short');
  if (withoutIt.length >= CALL_LIMITS.unusableAnswers) return 'never';
  const answers = own.map((call) => ({ call, again: getFailureTraits(call.detail)?.sameProvider }));
  // A refused key or a vanished model says nothing about the provider's other keys and models.
  if (
    answers.some(({ call, again }) => again === 'never' && getFailureTraits(call.detail)?.drops === 'nothing')
  )
    return 'never';

  const failedNow = answers.some(
    ({ call, again }) =>
      call.attempt === history.attempt && (again === 'next-attempt' || again === 'last-resort'),
  );
  if (failedNow) return 'after-failure';
  return answers.some(({ again }) => again === 'last-resort') ? 'last' : 'now';
}
