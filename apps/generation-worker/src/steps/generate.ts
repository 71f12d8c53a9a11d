import pLimit from 'p-limit';
import { type Attempt, type AttemptEnd, missingSlots } from '../attempt/attempt.js';
import { type Plan, planCalls } from '../plan/plan-calls.js';
import { refusalOf } from '../plan/refusal-of.js';
import type { Candidate, InputImage } from '../providers/port.js';
import { endOfGeneration } from './end-of-generation.js';
import { createFanOut } from './fan-out.js';
import type { CallReport } from './outcome-of-call.js';
import { type CallDeps, runCall } from './run-call.js';
import { type StartDeps, writeDownCall } from './write-down-call.js';

/** What generating needs. */
export interface GenerateDeps extends Omit<CallDeps, 'oneByOne'>, StartDeps {
  readonly ambiguousRetries: number;
  /** Micro-dollars a task; null for no limit. */
  readonly maxUpstreamCostMicros: bigint | null;
}

/** How the images of a task can be had. */
export interface Sources {
  /** In the order of preference. */
  readonly candidates: readonly Candidate[];
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
  const run = (callId: string, candidate: Candidate, inputs: readonly InputImage[]): void => {
    const row = attempt.calls.get(callId);
    const earlierCalls = [...attempt.calls.keys()].indexOf(callId);
    if (row) fanOut.add(runCall(callDeps, attempt, { row, candidate, inputs, earlierCalls }));
  };
  const mayStart = (): boolean => !fanOut.hasFailed() && refusalOf(attempt.calls.values()) === null;
  const startMore = async (): Promise<void> => {
    if (!mayStart()) return;
    try {
      const { calls } = planFor(deps, attempt, sources);
      const inputs = calls.length > 0 ? await sources.loadInputs() : [];
      for (const planned of calls) {
        if (!mayStart()) return;
        const row = await writeDownCall(deps, attempt, planned);
        run(row.id, planned.candidate, inputs);
      }
    } catch (error) {
      fanOut.fail(error);
    }
  };

  for (const call of attempt.calls.values()) {
    const candidate = sources.candidates.find(
      ({ provider, key }) =>
        provider.name === call.provider && (key?.fingerprint ?? null) === call.keyFingerprint,
    );
    if (call.state === 'submitted' && candidate) run(call.id, { ...candidate, model: call.model }, []);
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
    candidates,
    slots: missingSlots(attempt).filter((slot) => !busy.has(slot)),
  });
}
