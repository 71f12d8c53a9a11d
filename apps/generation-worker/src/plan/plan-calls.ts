import type { Candidate } from '../providers/port.js';
import { type CallHistory, prospectOf } from './ceilings.js';

/** A call that may be made. */
export interface PlannedCall {
  readonly candidate: Candidate;
  readonly slots: readonly number[];
}

/** What can be done for the images that are missing. */
export interface Plan {
  readonly calls: readonly PlannedCall[];
  /** What remains when nothing can be asked now: another attempt after a failure, a pause, or nothing at all. */
  readonly later: 'after-failure' | 'after-rate-limit' | 'never';
}

/** What a plan is made from. */
export interface PlanInput extends CallHistory {
  /** In the order of preference. */
  readonly candidates: readonly Candidate[];
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
  let later: Plan['later'] = 'never';

  for (const slot of slots) {
    const open = candidates
      .filter(affordable)
      .map((candidate) => ({ candidate, prospect: prospectOf(input, candidate, slot) }));
    const first = open.find(({ prospect }) => prospect === 'now')?.candidate;
    if (first) {
      wanted.set(first, [...(wanted.get(first) ?? []), slot]);
      costMicros += first.listCostMicros;
    } else if (open.some(({ prospect }) => prospect === 'after-failure')) {
      later = 'after-failure';
    } else if (later === 'never' && open.some(({ prospect }) => prospect === 'after-rate-limit')) {
      later = 'after-rate-limit';
    }
  }
  const calls = [...wanted].flatMap(([candidate, asked]) =>
    chunksOf(asked, candidate.provider.maxImagesPerCall).map((chunk) => ({ candidate, slots: chunk })),
  );
  return { calls, later };
}

function chunksOf(slots: readonly number[], size: number): number[][] {
  const count = Math.ceil(slots.length / size);
  return Array.from({ length: count }, (_, i) => slots.slice(i * size, (i + 1) * size));
}
