import { NOMINAL_SIDES, type Resolution } from '@image-gateway/shared/contract';
import { type Database, saveJobId, type TaskRow } from '@image-gateway/shared/db';
import { type Image, ImageError, OUTPUT_LIMITS, type ValidateImage } from '@image-gateway/shared/images';
import { formatDollars } from '@image-gateway/shared/money';
import { DRAWN_PROPERTIES, type DrawnProperty } from '@image-gateway/shared/task';
import type { Attempt } from '../attempt/attempt.js';
import { orAbort, persist } from '../attempt/persist.js';
import type { Drawing } from '../attempt/stored-image.js';
import { ProviderError } from '../providers/failures.js';
import { foldPrompt } from '../providers/http/encode-json.js';
import type { CallScope, Candidate, ProviderEvent, ProviderJob } from '../providers/port.js';
import { readFacts, readUpstreamText } from '../providers/upstream-text.js';
import { acceptCost } from './accept-cost.js';
import { computeTokenCost } from './compute-token-cost.js';
import type { HashEndUser } from './create-end-user-hash.js';
import type { CallProgress, ImageSink, StartedCall } from './started-call.js';

const MIN_SHARE = 0.9;
const MAX_UNREADABLE_PAUSE_MS = 30_000;

/** Dependencies of consuming the events of a call. */
export interface ConsumeDeps {
  readonly db: Pick<Database, 'run'>;
  readonly validate: ValidateImage;
  readonly hashEndUser: HashEndUser;
}

/** Where the events of a call lead. */
export interface CallFlow {
  readonly progress: CallProgress;
  readonly scope: CallScope;
  readonly sink: ImageSink;
}

/** Consumes the events of a call as they arrive and updates its progress. Throws what the provider throws. */
export async function consumeEvents(
  { db, validate, hashEndUser }: ConsumeDeps,
  attempt: Attempt,
  call: StartedCall,
  { progress, scope, sink }: CallFlow,
): Promise<void> {
  const { candidate, row } = call;
  const { task, signal, log } = attempt;
  const request = {
    taskId: task.id,
    callId: row.id,
    model: candidate.model,
    key: candidate.key,
    ...(Object.fromEntries(DRAWN_PROPERTIES.map((name) => [name, task[name]])) as Pick<
      TaskRow,
      DrawnProperty
    >),
    takesResolution: candidate.takesResolution,
    ...(candidate.size !== undefined && { size: candidate.size }),
    ...(candidate.timeoutMs !== undefined && { timeoutMs: candidate.timeoutMs }),
    endUser: await persist(() => hashEndUser(task), { log, signal }),
    fields: call.fields,
    options: candidate.options,
    slots: row.slots,
    inputs: call.inputs,
    earlierCalls: call.earlierCalls,
    job: row.requestId === null ? null : { id: row.requestId, handle: row.jobHandle },
  };
  const noteCost = async (statedMicros: bigint | null): Promise<void> => {
    const { provider, model, slots } = row;
    const priced = { provider, model, listCostMicros: candidate.listCostMicros, images: slots.length };
    progress.costMicros =
      statedMicros === null
        ? null
        : await persist(() => acceptCost(db, priced, statedMicros), { log, signal });
    if (statedMicros !== null && progress.costMicros === null) {
      progress.isCostRefused = true;
      log.error('a provider states a cost that cannot be true; the list cost is booked', {
        provider,
        model,
        stated: formatDollars(statedMicros),
      });
    }
  };
  if (
    attempt.isCanceled &&
    request.job !== null &&
    (await withdraw(candidate, request.job, { scope, log }))
  ) {
    throw new ProviderError('withdrawn', 'the task was canceled before its job began');
  }
  for await (const event of untilAborted(candidate.provider.generate(request, scope), signal)) {
    switch (event.type) {
      case 'job':
        progress.job = { id: event.id, handle: event.handle };
        await persist(() => saveJobId(db, { callId: row.id, jobId: event.id, handle: event.handle }), {
          log,
          signal,
        });
        break;
      case 'upstream-id':
        progress.upstreamId = readUpstreamText(event.id);
        break;
      case 'image':
        await acceptImage(validate, attempt, call, { event, progress, sink });
        break;
      case 'surplus':
        log.warn('a provider drew more images than were asked for', {
          provider: row.provider,
          model: row.model,
          asked: row.slots.length,
          surplus: event.images,
        });
        break;
      case 'cost':
        await noteCost(event.micros);
        break;
      case 'usage':
        if (candidate.tokenCost) {
          await noteCost(computeTokenCost(event.tokens, candidate.tokenCost));
        }
        break;
      case 'park':
        progress.parkedMs = computePause(event, task.startedAt);
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

/**
 * Returns the pause before the next poll. After an answer that cannot be read it is as long as the task has run, which doubles
 * it each time.
 */
function computePause(
  { delayMs, error }: Extract<ProviderEvent, { type: 'park' }>,
  startedAt: Date | null,
): number {
  if (error?.failure !== 'bad-response' || startedAt === null) {
    return delayMs;
  }
  return Math.max(delayMs, Math.min(MAX_UNREADABLE_PAUSE_MS, Date.now() - startedAt.getTime()));
}

/** Takes back the job of a canceled task where it has not begun. Its failure changes nothing: the job is polled as usual. */
async function withdraw(
  { provider, key }: Candidate,
  job: ProviderJob,
  { scope, log }: { readonly scope: CallScope; readonly log: Attempt['log'] },
): Promise<boolean> {
  try {
    return (await provider.withdraw?.({ ...job, key }, scope)) ?? false;
  } catch (error) {
    if (!(error instanceof ProviderError)) {
      throw error;
    }
    log.warn('could not take back a job upstream', { provider: provider.name, error });
    return false;
  }
}

async function acceptImage(
  validate: ValidateImage,
  attempt: Attempt,
  { row, candidate, unused }: StartedCall,
  delivery: Omit<CallFlow, 'scope'> & { readonly event: Extract<ProviderEvent, { type: 'image' }> },
): Promise<void> {
  const { event, progress, sink } = delivery;
  const { bytes, slot } = event;
  const { prompt, negativePrompt } = attempt.task;
  const sent = [prompt, foldPrompt({ prompt, negativePrompt, fields: {} })];
  const drawing: Drawing = { facts: readFacts(event.said, sent), unused };
  const listOpen = (): number[] => attempt.missingSlots().filter((one) => row.slots.includes(one));
  // Surplus images are not paid for.
  if (listOpen().length === 0) {
    return;
  }
  try {
    const { signal, log, task } = attempt;
    const owner = { key: task.accountId, signal };
    const image = await persist(() => validate(bytes, OUTPUT_LIMITS, owner), { signal, log });
    await sink.runSerially(async () => {
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
        if (!sink.isLastCall(row.id, chosen)) {
          progress.tooSmall.refused += 1;
          sink.keepSmall(image, chosen, drawing);
          return;
        }
        progress.tooSmall.delivered += 1;
      }
      await sink.store(image, chosen, drawing);
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
