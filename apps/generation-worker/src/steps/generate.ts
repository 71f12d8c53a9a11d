import { createSemaphore } from '@image-gateway/shared/concurrency';
import { REASONS } from '@image-gateway/shared/contract';
import type { CallRow } from '@image-gateway/shared/db';
import type { Image } from '@image-gateway/shared/images';
import type { Metrics } from '@image-gateway/shared/metrics';
import type { Attempt, AttemptEnd } from '../attempt/attempt.js';
import type { Drawing } from '../attempt/stored-image.js';
import type { CallAdmission } from '../calls/create-call-admission.js';
import { createFanOut } from '../calls/create-fan-out.js';
import type { CallReport, ImageSink, StartedCall } from '../calls/started-call.js';
import { decideGenerationEnd } from '../decisions/decide-attempt-end.js';
import { findRefusal } from '../decisions/find-refusal.js';
import type { Candidate, InputImage } from '../providers/port.js';
import { type ChosenFields, NO_TERMS } from '../routing/choose-fields.js';
import type { FieldChooser } from '../routing/create-field-chooser.js';
import type { Health } from '../routing/create-health.js';
import type { Router } from '../routing/create-router.js';
import { type Later, type Plan, type PlannedCall, planCalls } from '../routing/plan-calls.js';

/** Dependencies of generating. */
export interface GenerateDeps {
  readonly router: Pick<Router, 'listCandidates' | 'findMaker'>;
  readonly health: Pick<Health, 'getAvailability' | 'permits' | 'wait'>;
  readonly fields: Pick<FieldChooser, 'choose'>;
  /** Restores what earlier attempts left; the returned function writes down how the calls ended that they left open. */
  readonly restoreHistory: (attempt: Attempt) => Promise<() => Promise<void>>;
  readonly adoptImages: (attempt: Attempt) => Promise<void>;
  /** Sets the ratio of an edit whose shape follows its first image. */
  readonly shapeTask: (attempt: Attempt, loadInputs: ImageSteps['loadInputs']) => Promise<void>;
  readonly admission: CallAdmission;
  /** Inserts the row of a call before it is made; null when the task was canceled. */
  readonly insertCall: (attempt: Attempt, planned: PlannedCall) => Promise<CallRow | null>;
  readonly runCall: (attempt: Attempt, call: StartedCall, sink: ImageSink) => Promise<CallReport>;
  readonly isCancelRequested: (attempt: Attempt) => Promise<boolean>;
  readonly metrics: Pick<Metrics, 'providerAlerts'>;
  readonly ambiguousRetries: number;
  /** Micro-dollars per task; null without a limit. */
  readonly maxUpstreamCostMicros: bigint | null;
}

/** Steps before and after a call. */
export interface ImageSteps {
  /** Returns the images of an edit, loaded for the first call. Throws errors that end the attempt. */
  readonly loadInputs: () => Promise<readonly InputImage[]>;
  /** Stores an image of a call, one at a time. */
  readonly storeImage: ImageSink['store'];
}

/**
 * Generates the missing images. Restores what earlier attempts left, resumes running jobs, then calls the candidates in
 * order, several calls at a time. Repeats that until all images are stored or no call may be made in this attempt any
 * more. After a refusal no new call begins, and running ones are awaited. Throws when the attempt was aborted.
 */
export async function generate(deps: GenerateDeps, attempt: Attempt, steps: ImageSteps): Promise<AttemptEnd> {
  const finishInterruptedCalls = await deps.restoreHistory(attempt);
  await deps.adoptImages(attempt);
  await finishInterruptedCalls();
  if (attempt.missingSlots().length > 0 && !attempt.isCanceled) {
    await deps.shapeTask(attempt, steps.loadInputs);
  }
  const candidates = await deps.router.listCandidates(attempt.task);

  const { admission } = deps;
  const { storeImage, loadInputs } = steps;
  const small = createSmallImages();
  const sink: ImageSink = {
    store: storeImage,
    runSerially: createSemaphore({ permits: 1 }).run,
    isLastCall: (callId, slot) => isEnding() || isLast(deps, attempt, { candidates, callId, slot }),
    keepSmall: small.keep,
  };
  const fanOut = createFanOut<CallReport>();
  const makePlan = (held?: Candidate): Plan => planMissing(deps, attempt, { candidates, held });
  const run = (
    callId: string,
    candidate: Candidate,
    call: Pick<StartedCall, 'inputs' | 'admission' | 'fields' | 'unused'>,
  ): void => {
    const row = attempt.calls.get(callId);
    const earlierCalls = [...attempt.calls.keys()].indexOf(callId);
    if (row) {
      fanOut.add(deps.runCall(attempt, { ...call, row, candidate, earlierCalls }, sink));
    }
  };
  const isEnding = (): boolean => attempt.isCanceled || findRefusal(attempt.calls.values()) !== null;
  const mayStart = (): boolean => !fanOut.hasFailed() && !isEnding();

  /** Starts a call as soon as the candidate has a permit and there is room, unless the plan has changed by then. */
  const start = async (planned: PlannedCall, inputs: readonly InputImage[]): Promise<void> => {
    const admitted = await admission.admit(attempt, planned);
    if (admitted === null) {
      return;
    }
    const mayBegin = mayStart() && admission.isGateOpen();
    const chosen = deps.fields.choose(attempt.task, planned.candidate, planned.slots[0] ?? 0);
    // Other calls may have shown during the wait that this one must not be made.
    if (chosen === null || !mayBegin || !isStillPlanned(makePlan(planned.candidate), planned)) {
      admitted.release('cut');
      return;
    }
    try {
      const row = await deps.insertCall(attempt, planned);
      if (row === null) {
        admitted.release('cut');
        return;
      }
      run(row.id, planned.candidate, { inputs, admission: admitted, ...addMask(chosen, inputs) });
    } catch (error) {
      admitted.release('cut');
      throw error;
    }
  };

  // The plan that had no call decides what follows: in a later one a permit may be free again, and nothing would call for it.
  let later: Later = { kind: 'never' };
  const startMore = async (): Promise<void> => {
    try {
      while (mayStart()) {
        const plan = makePlan();
        const [next] = plan.calls;
        if (!next) {
          later = plan.later;
          return;
        }
        // Running calls decide first whether another one is needed.
        if (!admission.isGateOpen() && fanOut.size() > 0) {
          return;
        }
        await admission.passGate(attempt);
        await start(next, await loadInputs());
      }
    } catch (error) {
      fanOut.fail(error);
    }
  };

  const resume = async (): Promise<void> => {
    try {
      for (const call of attempt.calls.values()) {
        const candidate = call.state === 'submitted' ? deps.router.findMaker(call) : null;
        if (candidate) {
          const route = candidates.find((one) => isSameRoute(one, candidate));
          const { takesResolution = false, options = {}, size, terms = NO_TERMS } = route ?? {};
          const resumed = {
            ...candidate,
            takesResolution,
            options,
            terms,
            ...(size !== undefined && { size }),
          };
          const job = { id: call.requestId ?? '', handle: call.jobHandle };
          const inputs = candidate.provider.isUnsent?.(job) ? await loadInputs() : [];
          const { slots } = call;
          const chosen = deps.fields.choose(attempt.task, resumed, slots[0] ?? 0) ?? NO_FIELDS;
          const admitted = await admission.admitResumed(attempt, { candidate: resumed, slots });
          run(call.id, resumed, { inputs, admission: admitted, ...addMask(chosen, inputs) });
        }
      }
    } catch (error) {
      fanOut.fail(error);
    }
  };

  await resume();
  for (;;) {
    await startMore();
    if (fanOut.size() === 0) {
      break;
    }
    await fanOut.next();
  }
  const reports = fanOut.reports();
  const mayGoOn = isWaiting(later) || attempt.isCanceled || reports.some(({ kind }) => kind === 'parked');
  for (const slot of mayGoOn ? [] : attempt.missingSlots()) {
    const kept = small.take(slot);
    if (kept) {
      await storeImage(kept.image, slot, kept.drawing);
    }
  }
  const missing = attempt.missingSlots().length;
  // Requested while calls were open: without another call nothing has told of it.
  if (missing > 0 && !attempt.isCanceled && (await deps.isCancelRequested(attempt))) {
    attempt.recordCancel();
  }
  const hasRoute = candidates.length > 0;
  if (missing > 0 && !hasRoute) {
    reportNoRoute(deps, attempt);
  }
  return decideGenerationEnd({
    reports,
    missing,
    hasRoute,
    refusesNeed: hasRoute && candidates.every((one) => refusesNeed(deps, attempt, one)),
    refusal: findRefusal(attempt.calls.values()) ?? (attempt.isCanceled ? REASONS.canceled : null),
    later: takeTurn(deps, attempt, later),
    permitDueMs: deps.health.permits.getDueMs(),
  });
}

/** Returns the next step with the time at which the task has its turn at a candidate that is paused. */
function takeTurn({ health }: Pick<GenerateDeps, 'health'>, { task }: Attempt, later: Later): Later {
  return later.kind === 'after-pause' ? { ...later, pauseMs: health.wait(later, task) } : later;
}

/** Returns true when the upstream of a candidate has refused a field that the task needs. */
function refusesNeed({ fields }: GenerateDeps, attempt: Attempt, candidate: Candidate): boolean {
  const has = [...attempt.calls.values()].some(
    ({ provider, model, detail }) =>
      provider === candidate.provider.name && model === candidate.model && detail === 'need-refused',
  );
  return has || attempt.missingSlots().some((slot) => fields.choose(attempt.task, candidate, slot) === null);
}

/** Tells the operator that no provider in use can draw a task. Catalog or keys have changed since its submit, or differ in this worker. */
function reportNoRoute({ metrics }: Pick<GenerateDeps, 'metrics'>, { task, log }: Attempt): void {
  const { model, resolution, type } = task;
  log.error('no provider in use can draw this task', { model, resolution, type });
  metrics.providerAlerts.inc({ provider: 'none', model, failure: 'no-route' });
}

/** Plans the calls for the missing images. The permit of a `held` candidate is this task's own. */
function planMissing(
  deps: GenerateDeps,
  attempt: Attempt,
  { candidates, held }: { readonly candidates: readonly Candidate[]; readonly held: Candidate | undefined },
): Plan {
  const calls = [...attempt.calls.values()];
  const pending = new Set(
    calls.flatMap(({ state, slots }) => (state === 'started' || state === 'submitted' ? slots : [])),
  );
  return planCalls({
    ...getPlanRules(deps, attempt, candidates),
    calls,
    getAvailability: (candidate) => {
      const availability = deps.health.getAvailability(candidate, attempt.task);
      const isOwn =
        availability.kind === 'busy' || (availability.kind === 'paused' && availability.isTrial === true);
      return candidate === held && isOwn
        ? { kind: 'ready', last: availability.kind === 'busy' && availability.last }
        : availability;
    },
    candidates,
    slots: attempt.missingSlots().filter((slot) => !pending.has(slot)),
  });
}

/** Returns the rules that hold for every plan of an attempt. */
function getPlanRules(
  { ambiguousRetries, maxUpstreamCostMicros, fields }: GenerateDeps,
  { task }: Attempt,
  candidates: readonly Candidate[],
) {
  const free = candidates.filter(({ repeatsUnknown }) => repeatsUnknown);
  return {
    attempt: task.attempt,
    ambiguousRetries,
    freeProviders: new Set(free.map(({ provider }) => provider.name)),
    maxUpstreamCostMicros,
    takes: (candidate: Candidate, slot: number): boolean => fields.choose(task, candidate, slot) !== null,
  };
}

/** Returns true when no candidate may be called for an image, now or after a pause, once a call has drawn it too small. */
function isLast(
  deps: GenerateDeps,
  attempt: Attempt,
  {
    candidates,
    callId,
    slot,
  }: { readonly candidates: readonly Candidate[]; readonly callId: string; readonly slot: number },
): boolean {
  const { calls, later } = planCalls({
    ...getPlanRules(deps, attempt, candidates),
    // All limits are applied to the call as it would be written down if its image were refused.
    calls: [...attempt.calls.values()].map((call) =>
      call.id === callId ? { ...call, state: 'unusable', detail: 'too-small' } : call,
    ),
    candidates,
    slots: [slot],
    getAvailability: (candidate) => deps.health.getAvailability(candidate, attempt.task),
  });
  return calls.length === 0 && !isWaiting(later);
}

/** Adds the mask, which is loaded with the first input image. */
function addMask(
  { fields, unused }: ChosenFields,
  [first]: readonly InputImage[],
): Pick<StartedCall, 'fields' | 'unused'> {
  return { fields: { ...fields, ...(first?.mask && { mask: first.mask }) }, unused };
}

const NO_FIELDS: ChosenFields = { fields: {}, unused: [] };
const isWaiting = ({ kind }: Later): boolean => kind === 'after-pause' || kind === 'after-permit';

interface SmallImage {
  readonly image: Image;
  readonly drawing: Drawing;
}

/** Images that are smaller than what was sold, of one attempt. */
interface SmallImages {
  readonly keep: ImageSink['keepSmall'];
  /** Returns the largest image that was kept for a slot. */
  readonly take: (slot: number) => SmallImage | undefined;
}

/** Bytes of one image, far more than one that is too small has. */
const MAX_SMALL_BYTES = 8 * 1024 * 1024;

/** Keeps the images that were refused for their size, so that none is bought again where every other route fails. */
function createSmallImages(): SmallImages {
  const kept = new Map<number, SmallImage>();
  return {
    keep: (image, slot, drawing) => {
      const width = kept.get(slot)?.image.width ?? 0;
      if (image.bytes.length <= MAX_SMALL_BYTES && image.width > width) {
        // The bytes lie in the room of a response, which others get.
        kept.set(slot, { image: { ...image, bytes: Buffer.from(image.bytes) }, drawing });
      }
    },
    take: (slot) => kept.get(slot),
  };
}

function isSameRoute(one: Candidate, other: Candidate): boolean {
  return one.provider.name === other.provider.name && one.model === other.model;
}

function isStillPlanned({ calls }: Plan, { candidate, slots }: PlannedCall): boolean {
  return calls.some((call) => call.candidate === candidate && call.slots.join() === slots.join());
}
