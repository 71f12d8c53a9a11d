import type { Consumer } from './create-consumer.js';

/** How a probe is made. */
export interface ConsumptionProbeOptions {
  readonly consumer: Pick<Consumer, 'concurrency' | 'activeCount' | 'lastActivityAt' | 'waitingCount'>;
  /** How long jobs must have been waiting without one being taken, in milliseconds. */
  readonly stuckAfterMs: number;
  readonly now?: () => number;
}

const MIN_SAMPLES = 3;

/**
 * Creates the probe that tells a stuck consumer from one that has nothing to take. Each call takes a sample. It returns
 * true after `stuckAfterMs` in which every sample had a responding Redis, waiting jobs and free slots, and no job was
 * taken or ended. It needs three such samples, so that a process which was stopped for a while is not mistaken for
 * stuck when it resumes.
 */
export function createConsumptionProbe({
  consumer,
  stuckAfterMs,
  now = Date.now,
}: ConsumptionProbeOptions): () => Promise<boolean> {
  let since = 0;
  let samples = 0;
  return async () => {
    const waiting = await consumer.waitingCount();
    const idleThoughWorkWaits =
      waiting !== null && waiting > 0 && consumer.activeCount() < consumer.concurrency;
    if (!idleThoughWorkWaits || consumer.lastActivityAt() > since) {
      samples = 0;
    }
    if (!idleThoughWorkWaits) {
      return false;
    }
    if (samples === 0) {
      since = now();
    }
    samples += 1;
    return samples >= MIN_SAMPLES && now() - since >= stuckAfterMs;
  };
}
