import { NOMINAL_SIDES, type Resolution } from '@image-gateway/shared/contract';
import { type Database, saveJobId, type TaskRow } from '@image-gateway/shared/db';
import { DRAWN_PROPERTIES, type DrawnProperty } from '@image-gateway/shared/task';
import { type Attempt, missingSlots } from '../attempt/attempt.js';
import { orAbort, persist } from '../attempt/persist.js';
import type { CallProgress } from '../decisions/decide-call-outcome.js';
import type { ValidateImage } from '../images/create-validator.js';
import { type Image, ImageError, OUTPUT_LIMITS } from '../images/image.js';
import type { CallScope, Candidate, ProviderEvent } from '../providers/port.js';
import { readUpstreamText } from '../providers/upstream-text.js';
import type { StartedCall } from './run-call.js';

const MIN_SHARE = 0.9;

/** Dependencies of consuming the events of a call. */
export interface ConsumeDeps {
  readonly db: Pick<Database, 'run'>;
  readonly validate: ValidateImage;
  readonly storeImage: (image: Image, slot: number) => Promise<void>;
  /** Returns true when no route may be called any more for an image that this call drew too small. */
  readonly isLastCall: (callId: string, slot: number) => boolean;
  /** Keeps an image that is too small, in case that every other route fails. */
  readonly keepSmall: (image: Image, slot: number) => void;
  /** Runs one action at a time for the whole attempt: images are stored one by one. */
  readonly runSerially: <T>(action: () => Promise<T>) => Promise<T>;
}

/** Consumes the events of a call as they arrive and updates its progress. Throws what the provider throws. */
export async function consumeEvents(
  deps: ConsumeDeps,
  attempt: Attempt,
  call: StartedCall,
  { progress, scope }: { readonly progress: CallProgress; readonly scope: CallScope },
): Promise<void> {
  const { candidate, row } = call;
  const { task, signal, log } = attempt;
  const request = {
    taskId: task.id,
    model: candidate.model,
    key: candidate.key,
    ...(Object.fromEntries(DRAWN_PROPERTIES.map((name) => [name, task[name]])) as Pick<
      TaskRow,
      DrawnProperty
    >),
    takesResolution: candidate.takesResolution,
    ...(candidate.size !== undefined && { size: candidate.size }),
    options: candidate.options,
    slots: row.slots,
    inputs: call.inputs,
    earlierCalls: call.earlierCalls,
    job: row.requestId === null ? null : { id: row.requestId, handle: row.jobHandle },
  };
  for await (const event of untilAborted(candidate.provider.generate(request, scope), signal)) {
    switch (event.type) {
      case 'job':
        progress.job = { id: event.id, handle: event.handle };
        await persist(() => saveJobId(deps.db, { callId: row.id, jobId: event.id, handle: event.handle }), {
          log,
          signal,
        });
        break;
      case 'upstream-id':
        progress.upstreamId = readUpstreamText(event.id);
        break;
      case 'image':
        await acceptImage(deps, attempt, call, { event, progress });
        break;
      case 'cost':
        progress.costMicros = event.micros;
        break;
      case 'park':
        progress.parkedMs = event.delayMs;
        if (event.error) {
          log.warn('the state of an upstream job is unknown at the moment', {
            provider: row.provider,
            error: event.error,
          });
        }
        return;
    }
  }
}

async function acceptImage(
  deps: ConsumeDeps,
  attempt: Attempt,
  { row, candidate }: StartedCall,
  delivery: { readonly event: Extract<ProviderEvent, { type: 'image' }>; readonly progress: CallProgress },
): Promise<void> {
  const { event, progress } = delivery;
  const { bytes, slot } = event;
  const listOpen = (): number[] => missingSlots(attempt).filter((one) => row.slots.includes(one));
  // Surplus images are not paid for.
  if (listOpen().length === 0) {
    return;
  }
  try {
    const { signal, log, task } = attempt;
    const owner = { key: task.accountId, signal };
    const image = await persist(() => deps.validate(bytes, OUTPUT_LIMITS, owner), { signal, log });
    await deps.runSerially(async () => {
      const open = listOpen();
      // An image that was stored before its job was resumed arrives a second time.
      const chosen =
        slot !== undefined && row.slots.includes(slot) ? open.find((one) => one === slot) : open[0];
      if (chosen === undefined) {
        return;
      }
      const isSmall = isTooSmall(image, candidate, task.resolution);
      if (isSmall) {
        const { provider, model } = row;
        log.warn('a provider drew an image smaller than requested', {
          provider,
          model,
          width: image.width,
          height: image.height,
        });
        if (!deps.isLastCall(row.id, chosen)) {
          progress.tooSmall.refused += 1;
          deps.keepSmall(image, chosen);
          return;
        }
        progress.tooSmall.delivered += 1;
      }
      await deps.storeImage(image, chosen);
      progress.delivered += 1;
    });
  } catch (error) {
    if (!(error instanceof ImageError)) {
      throw error;
    }
    progress.unusable += 1;
    attempt.log.warn('a provider delivered an unusable image', { provider: row.provider, error });
  }
}

/** Returns true for an image whose long side is far below the resolution that its request named. */
function isTooSmall(
  { width, height }: Image,
  { takesResolution, provider }: Candidate,
  resolution: Resolution,
): boolean {
  return (
    takesResolution && provider.upstream && Math.max(width, height) < NOMINAL_SIDES[resolution] * MIN_SHARE
  );
}

/** Yields the events of a generator until the signal is aborted, even when the generator ignores it. Throws the signal's reason then. */
async function* untilAborted<T>(
  events: AsyncGenerator<T, void>,
  signal: AbortSignal,
): AsyncGenerator<T, void> {
  try {
    for (;;) {
      const { done, value } = await orAbort(events.next(), signal);
      if (done) {
        return;
      }
      yield value;
    }
  } finally {
    // Not awaited: a generator that ignores the signal may take long to end, and its result is not needed.
    events.return().then(undefined, () => undefined);
  }
}
