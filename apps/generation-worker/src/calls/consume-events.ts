import { saveJobId } from '@image-gateway/shared/db';
import { type Attempt, missingSlots } from '../attempt/attempt.js';
import { persist } from '../attempt/persist.js';
import type { CallProgress } from '../decisions/decide-call-outcome.js';
import { ImageError } from '../images/image-error.js';
import { OUTPUT_LIMITS } from '../images/limits.js';
import type { CallScope, ProviderEvent } from '../providers/port.js';
import { type StoreDeps, storeImage } from '../steps/store.js';
import type { StartedCall } from './started-call.js';
import { untilAborted } from './until-aborted.js';

/** What taking in the events of a call needs. */
export interface ConsumeDeps extends StoreDeps {
  /** Runs one thing at a time for the whole attempt: images are stored one by one. */
  readonly oneByOne: <T>(action: () => Promise<T>) => Promise<T>;
}

/** Takes in the events of a call as they come and keeps its progress. Throws what the provider throws. */
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
    prompt: task.prompt,
    negativePrompt: task.negativePrompt,
    aspectRatio: task.aspectRatio,
    resolution: task.resolution,
    takesResolution: candidate.takesResolution,
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
          ...{ log, signal },
        });
        break;
      case 'upstream-id':
        progress.upstreamId = event.id;
        break;
      case 'image':
        if (await takeImage(deps, attempt, call, event)) progress.delivered += 1;
        break;
      case 'cost':
        progress.costMicros = event.micros;
        break;
      case 'park':
        progress.parkedMs = event.delayMs;
        if (event.trouble)
          log.warn('an upstream job cannot be seen at the moment', {
            provider: row.provider,
            error: event.trouble,
          });
        return;
    }
  }
}

async function takeImage(
  deps: ConsumeDeps,
  attempt: Attempt,
  { row }: StartedCall,
  { bytes, slot }: Extract<ProviderEvent, { type: 'image' }>,
): Promise<boolean> {
  const wanted = (): number[] => missingSlots(attempt).filter((one) => row.slots.includes(one));
  // More images than asked for: nobody pays for them.
  if (wanted().length === 0) return false;
  try {
    const { signal, log, task } = attempt;
    const owner = { key: task.accountId, signal };
    const image = await persist(() => deps.validate(bytes, OUTPUT_LIMITS, owner), { signal, log });
    return await deps.oneByOne(async () => {
      const open = wanted();
      // A picture that was stored before its job was taken up again comes a second time.
      const chosen =
        slot !== undefined && row.slots.includes(slot) ? open.find((one) => one === slot) : open[0];
      if (chosen === undefined) return false;
      await storeImage(deps, attempt, image, chosen);
      return true;
    });
  } catch (error) {
    if (!(error instanceof ImageError)) throw error;
    attempt.log.warn('a provider delivered an unusable image', { provider: row.provider, error });
    return false;
  }
}
