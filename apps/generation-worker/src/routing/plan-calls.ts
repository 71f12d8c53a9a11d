import type { Candidate } from '../providers/port.js';
import type { Availability } from './availability.js';
import { type CallHistory, getProspect } from './get-prospect.js';

/** A call that may be made. */
export interface PlannedCall {
  readonly candidate: Candidate;
  readonly slots: readonly number[];
}

/** What remains when nothing can be asked now: another attempt after a failure, a pause of that many milliseconds, or nothing at all. */
export type Later =
  | { readonly kind: 'after-failure' }
  | { readonly kind: 'after-pause'; readonly pauseMs: number }
  | { readonly kind: 'never' };

/** What can be done for the images that are missing. */
export interface Plan {
  readonly calls: readonly PlannedCall[];
  readonly later: Later;
}

/** What a plan is made from. */
export interface PlanInput extends CallHistory {
  /** In the order of preference. */
  readonly candidates: readonly Candidate[];
  readonly getAvailability: (candidate: Candidate) => Availability;
  /** Images that are missing and that no running call was asked for, rising. */
  readonly slots: readonly number[];
  /** The most the task may cost upstream, in micro-dollars; null for no limit. */
  readonly maxUpstreamCostMicros: bigint | null;
}

/** Plans the next calls: each missing image goes to the first candidate that may be asked for it, as many to one call as it takes. */
export function planCalls(input: PlanInput): Plan {
  const { candidates, slots, maxUpstreamCostMicros } = input;
  let costMicros = input.calls.reduce((sum, call) => sum + call.costMicros, 0n);
  const affordable = ({ listCostMicros }: Candidate): boolean =>
    maxUpstreamCostMicros === null || costMicros + listCostMicros <= maxUpstreamCostMicros;
  const wanted = new Map<Candidate, number[]>();
  let fails = false;
  const pauses: number[] = [];

  for (const slot of slots) {
    const open = candidates.filter(affordable).map((candidate) => ({
      candidate,
      prospect: getProspect(input, candidate, slot),
      availability: input.getAvailability(candidate),
    }));
    const asked = open.filter(({ prospect }) => prospect === 'now' || prospect === 'last');
    const ready = asked.filter(({ availability }) => availability.kind === 'ready');
    const chosen = ready.find((one) => !isLast(one)) ?? ready[0];
    if (chosen) {
      wanted.set(chosen.candidate, [...(wanted.get(chosen.candidate) ?? []), slot]);
      costMicros += chosen.candidate.listCostMicros;
      continue;
    }
    pauses.push(
      ...asked.flatMap(({ availability }) => (availability.kind === 'paused' ? [availability.forMs] : [])),
    );
    // A circuit that is open stands for the failure that this task would meet.
    fails ||=
      open.some(({ prospect }) => prospect === 'after-failure') ||
      asked.some(({ availability }) => availability.kind === 'open');
  }
  const calls = [...wanted].flatMap(([candidate, asked]) =>
    splitIntoChunks(asked, candidate.maxImagesPerCall).map((chunk) => ({ candidate, slots: chunk })),
  );
  const paused: Later =
    pauses.length > 0 ? { kind: 'after-pause', pauseMs: Math.min(...pauses) } : { kind: 'never' };
  return { calls, later: fails ? { kind: 'after-failure' } : paused };
}

function isLast({
  prospect,
  availability,
}: {
  readonly prospect: string;
  readonly availability: Availability;
}): boolean {
  return prospect === 'last' || (availability.kind === 'ready' && availability.last);
}

function splitIntoChunks(slots: readonly number[], size: number): number[][] {
  const count = Math.ceil(slots.length / size);
  return Array.from({ length: count }, (_, i) => slots.slice(i * size, (i + 1) * size));
}
