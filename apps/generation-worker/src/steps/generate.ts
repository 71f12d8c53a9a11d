import { createSemaphore } from '@image-gateway/shared/concurrency';
import type { CallRow } from '@image-gateway/shared/db';
import { type Attempt, type AttemptEnd, missingSlots } from '../attempt/attempt.js';
import { type AdmitDeps, admitCall, passGate, reserveRoom } from '../calls/admit-call.js';
import { createFanOut } from '../calls/create-fan-out.js';
import { type CallDeps, runCall } from '../calls/run-call.js';
import { type StartDeps, writeDownCall } from '../calls/start-call.js';
import type { StartedCall } from '../calls/started-call.js';
import type { CallReport } from '../decisions/decide-call-outcome.js';
import { decideGenerationEnd } from '../decisions/decide-generation-end.js';
import { refusalOf } from '../decisions/find-refusal.js';
import type { Candidate, InputImage } from '../providers/port.js';
import type { ResponseStore } from '../responses/create-response-store.js';
import type { StoreGate } from '../responses/create-store-gate.js';
import type { Health } from '../routing/create-health.js';
import { type Plan, type PlannedCall, planCalls } from '../routing/plan-calls.js';

/** What generating needs. */
export interface GenerateDeps extends Omit<CallDeps, 'oneByOne'>, StartDeps, AdmitDeps {
  readonly health: Pick<Health, 'getAvailability' | 'acquirePermit'>;
  readonly responses: ResponseStore;
  readonly storeGate: StoreGate;
  readonly metrics: CallDeps['metrics'] & AdmitDeps['metrics'];
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
  const callDeps: CallDeps = { ...deps, oneByOne: createSemaphore({ permits: 1 }).run };
  const fanOut = createFanOut<CallReport>();
  const run = (callId: string, candidate: Candidate, call: Pick<StartedCall, 'inputs' | 'permit'>): void => {
    const row = attempt.calls.get(callId);
    const earlierCalls = [...attempt.calls.keys()].indexOf(callId);
    if (row) fanOut.add(runCall(callDeps, attempt, { ...call, row, candidate, earlierCalls }));
  };
  const mayStart = (): boolean => !fanOut.hasFailed() && refusalOf(attempt.calls.values()) === null;
  /** Starts a call as soon as there are a permit of the candidate and room, unless it is no longer needed or may not begin by then. */
  const start = async (planned: PlannedCall, inputs: readonly InputImage[]): Promise<void> => {
    const permit = await admitCall(deps, attempt, planned.candidate);
    if (permit === null) return;
    const mayBegin = mayStart() && deps.storeGate.isOpen();
    // Other calls may have shown during the wait that this one must not be made.
    if (!mayBegin || !isStillPlanned(planFor(deps, attempt, sources), planned)) {
      permit.release('cut');
      return;
    }
    try {
      const row = await writeDownCall(deps, attempt, planned);
      run(row.id, planned.candidate, { inputs, permit });
    } catch (error) {
      permit.release('cut');
      throw error;
    }
  };
  const startMore = async (): Promise<void> => {
    try {
      while (mayStart()) {
        const [next] = planFor(deps, attempt, sources).calls;
        if (!next) return;
        // What is under way decides first whether anything more is to be asked for.
        if (!deps.storeGate.isOpen() && fanOut.size() > 0) return;
        await passGate(deps, attempt);
        await start(next, await sources.loadInputs());
      }
    } catch (error) {
      fanOut.fail(error);
    }
  };

  const resume = async (): Promise<void> => {
    try {
      for (const call of attempt.calls.values()) {
        const candidate = call.state === 'submitted' ? sources.resumeWith(call) : null;
        if (candidate) run(call.id, candidate, { inputs: [], permit: await reserveRoom(deps, attempt) });
      }
    } catch (error) {
      fanOut.fail(error);
    }
  };

  await resume();
  for (;;) {
    await startMore();
    if (fanOut.size() === 0) break;
    await fanOut.next();
  }
  return decideGenerationEnd({
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
    getAvailability: deps.health.getAvailability,
    candidates,
    slots: missingSlots(attempt).filter((slot) => !busy.has(slot)),
  });
}

function isStillPlanned({ calls }: Plan, { candidate, slots }: PlannedCall): boolean {
  return calls.some((call) => call.candidate === candidate && call.slots.join() === slots.join());
}
