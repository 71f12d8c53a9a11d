import { createSemaphore } from '@image-gateway/shared/concurrency';
import { REASONS } from '@image-gateway/shared/contract';
import type { CallRow } from '@image-gateway/shared/db';
import type { Image } from '@image-gateway/shared/images';
import type { Metrics } from '@image-gateway/shared/metrics';
import type { Attempt, AttemptEnd } from '../attempt/attempt.js';
import type { Drawing } from '../attempt/stored-image.js';
import type { Admission, CallAdmission } from '../calls/create-call-admission.js';
import { createFanOut } from '../calls/create-fan-out.js';
import type { CallReport, ImageSink, StartedCall } from '../calls/started-call.js';
import { decideGenerationEnd } from '../decisions/decide-attempt-end.js';
import { findRefusal } from '../decisions/find-refusal.js';
import type { Candidate, InputImage } from '../providers/port.js';
import { type ChosenFields, NO_TERMS } from '../routing/choose-fields.js';
import type { Planner } from '../routing/create-planner.js';
import type { Router } from '../routing/create-router.js';
import { isWaiting, type Later, type PlannedCall } from '../routing/plan-calls.js';

/** Dependencies of generating. */
export interface GenerateDeps {
  /** Restores what earlier attempts left, and gives an edit the ratio of its first image where its shape follows it. */
  readonly prepare: (attempt: Attempt, loadInputs: ImageSteps['loadInputs']) => Promise<void>;
  readonly router: Pick<Router, 'listCandidates' | 'findMaker'>;
  readonly planner: Planner;
  readonly calls: CallSteps;
  readonly isCancelRequested: (attempt: Attempt) => Promise<boolean>;
  readonly metrics: Pick<Metrics, 'providerAlerts'>;
}

/** Steps of one call. */
export interface CallSteps {
  readonly admission: CallAdmission;
  /** Inserts the row of a call before it is made; null when the task was canceled. */
  readonly insert: (attempt: Attempt, planned: PlannedCall) => Promise<CallRow | null>;
  readonly run: (attempt: Attempt, call: StartedCall, sink: ImageSink) => Promise<CallReport>;
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
  await deps.prepare(attempt, steps.loadInputs);
  const candidates = await deps.router.listCandidates(attempt.task);
  return new Generation(deps, attempt, steps, candidates).run();
}

/** The calls of one attempt, several at a time, and the images that they bring. */
class Generation {
  readonly #deps: GenerateDeps;
  readonly #attempt: Attempt;
  readonly #steps: ImageSteps;
  /** In the order of preference. */
  readonly #candidates: readonly Candidate[];
  readonly #sink: ImageSink;
  readonly #running = createFanOut<CallReport>();
  readonly #small = createSmallImages();
  /** Next step by the plan that had no call: in a later plan a permit may be free again, and nothing would call for it. */
  #later: Later = { kind: 'never' };

  constructor(deps: GenerateDeps, attempt: Attempt, steps: ImageSteps, candidates: readonly Candidate[]) {
    this.#deps = deps;
    this.#attempt = attempt;
    this.#steps = steps;
    this.#candidates = candidates;
    this.#sink = {
      store: steps.storeImage,
      runSerially: createSemaphore({ permits: 1 }).run,
      isLastCall: (callId, slot) =>
        this.#isEnding() || deps.planner.isLast(attempt, candidates, { callId, slot }),
      keepSmall: this.#small.keep,
    };
  }

  async run(): Promise<AttemptEnd> {
    await this.#resumeJobs();
    await this.#startCalls();
    while (this.#running.size() > 0) {
      await this.#running.next();
      await this.#startCalls();
    }
    const reports = this.#running.reports();
    await this.#storeSmallImages(reports);
    return this.#decideEnd(reports);
  }

  #isEnding(): boolean {
    return this.#attempt.isCanceled || findRefusal(this.#attempt.calls.values()) !== null;
  }

  #mayStart(): boolean {
    return !this.#running.hasFailed() && !this.#isEnding();
  }

  /** Resumes the jobs that earlier attempts submitted. */
  async #resumeJobs(): Promise<void> {
    try {
      for (const call of this.#attempt.calls.values()) {
        const maker = call.state === 'submitted' ? this.#deps.router.findMaker(call) : null;
        if (maker) {
          await this.#resume(call, maker);
        }
      }
    } catch (error) {
      this.#running.fail(error);
    }
  }

  async #resume(call: CallRow, maker: Candidate): Promise<void> {
    const route = this.#candidates.find((one) => isSameRoute(one, maker));
    const { takesResolution = false, options = {}, size, terms = NO_TERMS } = route ?? {};
    const candidate = {
      ...maker,
      takesResolution,
      options,
      terms,
      ...(size !== undefined && { size }),
    };
    const { slots } = call;
    const isUnsent = maker.provider.isUnsent?.({ id: call.requestId ?? '', handle: call.jobHandle }) ?? false;
    const inputs = isUnsent ? await this.#steps.loadInputs() : [];
    const chosen = this.#choose(candidate, slots) ?? NO_FIELDS;
    const admission = await this.#deps.calls.admission.admitResumed(this.#attempt, { candidate, slots });
    this.#run(call, { candidate, inputs, admission, ...addMask(chosen, inputs) });
  }

  /** Starts calls until none may be made now. */
  async #startCalls(): Promise<void> {
    const { admission } = this.#deps.calls;
    try {
      while (this.#mayStart()) {
        const plan = this.#deps.planner.plan(this.#attempt, this.#candidates);
        const [next] = plan.calls;
        if (!next) {
          this.#later = plan.later;
          return;
        }
        // Running calls decide first whether another one is needed.
        if (!admission.isGateOpen() && this.#running.size() > 0) {
          return;
        }
        await admission.passGate(this.#attempt);
        const inputs = await this.#steps.loadInputs();
        const admitted = await admission.admit(this.#attempt, next);
        if (admitted !== null) {
          await this.#start(next, inputs, admitted);
        }
      }
    } catch (error) {
      this.#running.fail(error);
    }
  }

  /** Starts an admitted call, unless the plan has changed since. */
  async #start(planned: PlannedCall, inputs: readonly InputImage[], admission: Admission): Promise<void> {
    const { calls } = this.#deps;
    const { candidate, slots } = planned;
    let row: CallRow | null = null;
    try {
      const chosen = this.#choose(candidate, slots);
      if (chosen !== null && this.#mayStart() && calls.admission.isGateOpen() && this.#isPlanned(planned)) {
        row = await calls.insert(this.#attempt, planned);
      }
      if (row !== null && chosen !== null) {
        this.#run(row, { candidate, inputs, admission, ...addMask(chosen, inputs) });
      }
    } finally {
      if (row === null) {
        admission.release('cut');
      }
    }
  }

  /** Returns whether a call is still planned: others may have shown, while it waited, that it must not be made. */
  #isPlanned({ candidate, slots }: PlannedCall): boolean {
    const { calls } = this.#deps.planner.plan(this.#attempt, this.#candidates, candidate);
    return calls.some((call) => call.candidate === candidate && call.slots.join() === slots.join());
  }

  #choose(candidate: Candidate, [first = 0]: readonly number[]): ChosenFields | null {
    return this.#deps.planner.chooseFields(this.#attempt.task, candidate, first);
  }

  #run({ id }: CallRow, call: Omit<StartedCall, 'row' | 'earlierCalls'>): void {
    const row = this.#attempt.calls.get(id);
    const earlierCalls = [...this.#attempt.calls.keys()].indexOf(id);
    if (row) {
      this.#running.add(this.#deps.calls.run(this.#attempt, { ...call, row, earlierCalls }, this.#sink));
    }
  }

  /** Stores images that are too small where no other call can replace them. */
  async #storeSmallImages(reports: readonly CallReport[]): Promise<void> {
    const mayGoOn =
      isWaiting(this.#later) || this.#attempt.isCanceled || reports.some(({ kind }) => kind === 'parked');
    for (const slot of mayGoOn ? [] : this.#attempt.missingSlots()) {
      const kept = this.#small.take(slot);
      if (kept) {
        await this.#steps.storeImage(kept.image, slot, kept.drawing);
      }
    }
  }

  async #decideEnd(reports: readonly CallReport[]): Promise<AttemptEnd> {
    const { planner, isCancelRequested } = this.#deps;
    const attempt = this.#attempt;
    const missing = attempt.missingSlots().length;
    // Requested while calls were open: without another call nothing has told of it.
    if (missing > 0 && !attempt.isCanceled && (await isCancelRequested(attempt))) {
      attempt.recordCancel();
    }
    const hasRoute = this.#candidates.length > 0;
    if (missing > 0 && !hasRoute) {
      this.#reportNoRoute();
    }
    return decideGenerationEnd({
      reports,
      missing,
      refusesNeed: hasRoute && this.#candidates.every((one) => planner.refusesNeed(attempt, one)),
      refusal: findRefusal(attempt.calls.values()) ?? (attempt.isCanceled ? REASONS.canceled : null),
      later: planner.takeTurn(attempt, this.#later),
      permitDueMs: planner.getPermitDueMs(),
    });
  }

  /**
   * Tells the operator that no provider in use can draw the task. Catalog or keys have changed since its submit, or differ in
   * this worker.
   */
  #reportNoRoute(): void {
    const { model, resolution, type } = this.#attempt.task;
    this.#attempt.log.error('no provider in use can draw this task', { model, resolution, type });
    this.#deps.metrics.providerAlerts.inc({ provider: 'none', model, failure: 'no-route' });
  }
}

/** Adds the mask, which is loaded with the first input image. */
function addMask(
  { fields, unused }: ChosenFields,
  [first]: readonly InputImage[],
): Pick<StartedCall, 'fields' | 'unused'> {
  return { fields: { ...fields, ...(first?.mask && { mask: first.mask }) }, unused };
}

const NO_FIELDS: ChosenFields = { fields: {}, unused: [] };

function isSameRoute(one: Candidate, other: Candidate): boolean {
  return one.provider.name === other.provider.name && one.model === other.model;
}

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
