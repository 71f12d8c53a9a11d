import type { Attempt } from '../attempt/attempt.js';
import type { Candidate } from '../providers/port.js';
import type { FieldChooser } from './create-field-chooser.js';
import type { Health } from './create-health.js';
import { isWaiting, type Later, type Plan, planCalls } from './plan-calls.js';

/** Plans of an attempt, by what its candidates take, by their availability and by costs. */
export interface Planner {
  /** Plans the calls for the missing images. The permit of a `held` candidate is this task's own. */
  readonly plan: (attempt: Attempt, candidates: readonly Candidate[], held?: Candidate) => Plan;
  /** Returns true when no candidate may be called for an image, now or after a pause, once a call has drawn it too small. */
  readonly isLast: (
    attempt: Attempt,
    candidates: readonly Candidate[],
    drawn: { readonly callId: string; readonly slot: number },
  ) => boolean;
  readonly chooseFields: FieldChooser['choose'];
  /** Returns true when the upstream of a candidate has refused a field that the task needs. */
  readonly refusesNeed: (attempt: Attempt, candidate: Candidate) => boolean;
  /** Returns the next step with the time at which the task has its turn at a candidate that is paused. */
  readonly takeTurn: (attempt: Attempt, later: Later) => Later;
  /** Returns the milliseconds until a permit is free by time alone. */
  readonly getPermitDueMs: Health['permits']['getDueMs'];
}

/** Dependencies of planning. */
export interface PlannerDeps {
  readonly health: Pick<Health, 'getAvailability' | 'permits' | 'wait'>;
  readonly fields: Pick<FieldChooser, 'choose'>;
  readonly ambiguousRetries: number;
  /** Micro-dollars per task; null without a limit. */
  readonly maxUpstreamCostMicros: bigint | null;
}

/** Creates the planner of a worker. */
export function createPlanner({
  health,
  fields,
  ambiguousRetries,
  maxUpstreamCostMicros,
}: PlannerDeps): Planner {
  /** Rules that hold for every plan of an attempt. */
  const getRules = ({ task }: Attempt, candidates: readonly Candidate[]) => {
    const free = candidates.filter(({ repeatsUnknown }) => repeatsUnknown);
    return {
      attempt: task.attempt,
      ambiguousRetries,
      freeProviders: new Set(free.map(({ provider }) => provider.name)),
      maxUpstreamCostMicros,
      takes: (candidate: Candidate, slot: number): boolean => fields.choose(task, candidate, slot) !== null,
      candidates,
    };
  };

  return {
    plan: (attempt, candidates, held) => {
      const calls = [...attempt.calls.values()];
      const pending = new Set(
        calls.flatMap(({ state, slots }) => (state === 'started' || state === 'submitted' ? slots : [])),
      );
      return planCalls({
        ...getRules(attempt, candidates),
        calls,
        getAvailability: (candidate) => {
          const availability = health.getAvailability(candidate, attempt.task);
          const isOwn =
            availability.kind === 'busy' || (availability.kind === 'paused' && availability.isTrial === true);
          return candidate === held && isOwn
            ? { kind: 'ready', last: availability.kind === 'busy' && availability.last }
            : availability;
        },
        slots: attempt.missingSlots().filter((slot) => !pending.has(slot)),
      });
    },
    isLast: (attempt, candidates, { callId, slot }) => {
      const { calls, later } = planCalls({
        ...getRules(attempt, candidates),
        // All limits are applied to the call as it would be written down if its image were refused.
        calls: [...attempt.calls.values()].map((call) =>
          call.id === callId ? { ...call, state: 'unusable', detail: 'too-small' } : call,
        ),
        slots: [slot],
        getAvailability: (candidate) => health.getAvailability(candidate, attempt.task),
      });
      return calls.length === 0 && !isWaiting(later);
    },
    chooseFields: fields.choose,
    refusesNeed: (attempt, candidate) => {
      const has = [...attempt.calls.values()].some(
        ({ provider, model, detail }) =>
          provider === candidate.provider.name && model === candidate.model && detail === 'need-refused',
      );
      return (
        has || attempt.missingSlots().some((slot) => fields.choose(attempt.task, candidate, slot) === null)
      );
    },
    takeTurn: ({ task }, later) =>
      later.kind === 'after-pause' ? { ...later, pauseMs: health.wait(later, task) } : later,
    getPermitDueMs: health.permits.getDueMs,
  };
}
