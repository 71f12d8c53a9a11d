import type { Candidate } from '../providers/port.js';
import type { Availability } from './create-health.js';
import { type CallHistory, getEligibility } from './get-eligibility.js';

/** Call that may be made. */
export interface PlannedCall {
  readonly candidate: Candidate;
  readonly slots: readonly number[];
}

/** Next step when no call may be made now. */
export type Later =
  | { readonly kind: 'after-failure' }
  /** When the first of these has paused long enough. */
  | {
      readonly kind: 'after-pause';
      readonly pauseMs: number;
      readonly candidates: readonly Candidate[];
    }
  /** As soon as one of these has a free permit. */
  | { readonly kind: 'after-permit'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'never' };

/** Returns true when a call may be made later in this attempt's place, after a pause or with a permit. */
export const isWaiting = ({ kind }: Later): boolean => kind === 'after-pause' || kind === 'after-permit';

/** Plan for the missing images. */
export interface Plan {
  readonly calls: readonly PlannedCall[];
  readonly later: Later;
}

/** Input of a plan. */
export interface PlanInput extends CallHistory {
  /** In the order of preference. */
  readonly candidates: readonly Candidate[];
  readonly getAvailability: (candidate: Candidate) => Availability;
  /** Missing slots that no running call covers, ascending. */
  readonly slots: readonly number[];
  /** Maximum upstream cost of the task in micro-dollars; null without a limit. */
  readonly maxUpstreamCostMicros: bigint | null;
}

/** Plans the next calls: each missing image goes to the first candidate that may be called for it, up to its maximum per call. */
export function planCalls(input: PlanInput): Plan {
  const { candidates, slots, maxUpstreamCostMicros } = input;
  let costMicros = input.calls.reduce((sum, call) => sum + call.costMicros, 0n);
  const affordable = ({ listCostMicros }: Candidate): boolean =>
    maxUpstreamCostMicros === null || costMicros + listCostMicros <= maxUpstreamCostMicros;
  const slotsByCandidate = new Map<Candidate, number[]>();
  let hasFailure = false;
  const pauses = new Map<Candidate, number>();
  const busy = new Set<Candidate>();

  for (const slot of slots) {
    const open = candidates.filter(affordable).map((candidate) => ({
      candidate,
      eligibility: getEligibility(input, candidate, slot),
      availability: input.getAvailability(candidate),
    }));
    const callable = open.filter(({ eligibility }) => eligibility === 'now' || eligibility === 'last');
    const ready = callable.filter(({ availability }) => availability.kind === 'ready');
    const chosen = ready.find((one) => !isLast(one)) ?? ready[0];
    if (chosen) {
      slotsByCandidate.set(chosen.candidate, [...(slotsByCandidate.get(chosen.candidate) ?? []), slot]);
      costMicros += chosen.candidate.listCostMicros;
      continue;
    }
    for (const { candidate, availability } of callable) {
      if (availability.kind === 'busy') {
        busy.add(candidate);
      } else if (availability.kind === 'paused') {
        pauses.set(candidate, availability.forMs);
      }
    }
    hasFailure ||= open.some(({ eligibility }) => eligibility === 'after-failure');
  }
  const calls = [...slotsByCandidate].flatMap(([candidate, ownSlots]) =>
    splitIntoChunks(ownSlots, candidate.maxImagesPerCall).map((chunk) => ({ candidate, slots: chunk })),
  );
  const paused: Later =
    pauses.size > 0
      ? { kind: 'after-pause', pauseMs: Math.min(...pauses.values()), candidates: [...pauses.keys()] }
      : { kind: 'never' };
  if (busy.size > 0) {
    // A candidate without a free permit works: the task gets it without losing a try.
    return { calls, later: { kind: 'after-permit', candidates: [...busy] } };
  }
  return { calls, later: hasFailure ? { kind: 'after-failure' } : paused };
}

function isLast({
  eligibility,
  availability,
}: {
  readonly eligibility: string;
  readonly availability: Availability;
}): boolean {
  return eligibility === 'last' || (availability.kind === 'ready' && availability.last);
}

function splitIntoChunks(slots: readonly number[], size: number): number[][] {
  const count = Math.ceil(slots.length / size);
  return Array.from({ length: count }, (_, i) => slots.slice(i * size, (i + 1) * size));
}
