import type { CallRow } from '@image-gateway/shared/db';
import pLimit from 'p-limit';
import { type Attempt, type AttemptEnd, missingSlots } from '../attempt/attempt.js';
import { type Plan, type PlannedCall, planCalls } from '../plan/plan-calls.js';
import { refusalOf } from '../plan/refusal-of.js';
import type { Health } from '../providers/health/create-health.js';
import type { Candidate, InputImage } from '../providers/port.js';
import { endOfGeneration } from './end-of-generation.js';
import { createFanOut } from './fan-out.js';
import type { CallReport } from './outcome-of-call.js';
import { type CallDeps, runCall } from './run-call.js';
import type { StartedCall } from './started-call.js';
import { type StartDeps, writeDownCall } from './write-down-call.js';

/** What generating needs. */
export interface GenerateDeps extends Omit<CallDeps, 'oneByOne'>, StartDeps {
  readonly health: Pick<Health, 'availabilityOf' | 'enter'>;
  readonly ambiguousRetries: number;
  /** Micro-dollars a task; null for no limit. */
  readonly maxUpstreamCostMicros: bigint | null;
}

/** How the images of a task can be had. */
export interface Sources {
  /** In the order of preference. */
  readonly candidates: readonly Candidate[];
  /** Who can be asked about a job that still runs; null when nobody here can. */
  readonly resumeWith: (call: CallRow) => Candidate | null;
  /** The images of an edit, loaded when the first call needs them; throws what ends the attempt. */
  readonly loadInputs: () => Promise<readonly InputImage[]>;
}

/**
 * Gets the missing images: resumes jobs that still run, then asks the candidates in order, several calls at a time, and
 * asks again for what is missing until all is stored or nobody may be asked in this attempt any more. After a refusal no
 * new call is made, and those under way are awaited. Says how the attempt ends; throws when it was aborted.
 */
export async function generate(deps: GenerateDeps, attempt: Attempt, sources: Sources): Promise<AttemptEnd> {
  const callDeps: CallDeps = { ...deps, oneByOne: pLimit(1) };
  const fanOut = createFanOut<CallReport>();
  const run = (callId: string, candidate: Candidate, call: Pick<StartedCall, 'inputs' | 'visit'>): void => {
    const row = attempt.calls.get(callId);
    const earlierCalls = [...attempt.calls.keys()].indexOf(callId);
    if (row) fanOut.add(runCall(callDeps, attempt, { ...call, row, candidate, earlierCalls }));
  };
  const mayStart = (): boolean => !fanOut.hasFailed() && refusalOf(attempt.calls.values()) === null;
  /** Does nothing when the call must not be made any more by the time there is a place. */
  const start = async (planned: PlannedCall, inputs: readonly InputImage[]): Promise<void> => {
    const visit = await deps.health.enter(planned.candidate, attempt.signal);
    if (visit === null) return;
    // While it waited for a place, other calls may have shown that it must not be made.
    if (!mayStart() || !isStillPlanned(planFor(deps, attempt, sources), planned)) {
      visit.leave('cut');
      return;
    }
    try {
      const row = await writeDownCall(deps, attempt, planned);
      run(row.id, planned.candidate, { inputs, visit });
    } catch (error) {
      visit.leave('cut');
      throw error;
    }
  };
  const startMore = async (): Promise<void> => {
    try {
      while (mayStart()) {
        const [next] = planFor(deps, attempt, sources).calls;
        if (!next) return;
        await start(next, await sources.loadInputs());
      }
    } catch (error) {
      fanOut.fail(error);
    }
  };

  for (const call of attempt.calls.values()) {
    const candidate = call.state === 'submitted' ? sources.resumeWith(call) : null;
    if (candidate) run(call.id, candidate, { inputs: [], visit: null });
  }
  for (;;) {
    await startMore();
    if (fanOut.size() === 0) break;
    await fanOut.next();
  }
  return endOfGeneration({
    reports: fanOut.reports(),
    missing: missingSlots(attempt).length,
    refusal: refusalOf(attempt.calls.values()),
    later: planFor(deps, attempt, sources).later,
  });
}

function planFor(deps: GenerateDeps, attempt: Attempt, { candidates }: Sources): Plan {
  const calls = [...attempt.calls.values()];
  const busy = new Set(
    calls.flatMap(({ state, slots }) => (state === 'started' || state === 'submitted' ? slots : [])),
  );
  return planCalls({
    attempt: attempt.task.attempt,
    calls,
    ambiguousRetries: deps.ambiguousRetries,
    maxUpstreamCostMicros: deps.maxUpstreamCostMicros,
    availabilityOf: deps.health.availabilityOf,
    candidates,
    slots: missingSlots(attempt).filter((slot) => !busy.has(slot)),
  });
}

function isStillPlanned({ calls }: Plan, { candidate, slots }: PlannedCall): boolean {
  return calls.some((call) => call.candidate === candidate && call.slots.join() === slots.join());
}
