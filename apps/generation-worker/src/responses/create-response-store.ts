import { createSemaphore, type Semaphore } from '@image-gateway/shared/concurrency';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import type { Spool } from '@image-gateway/shared/spool';
import type { BodyDecoder, ResponseBody } from '../providers/port.js';
import { createCallMemory } from './create-call-memory.js';
import { createResponseBody } from './create-response-body.js';
import { type RoomTerms, reserveSpool } from './reserve-spool.js';

/** Room of one call for its responses, one large one at a time. */
export interface CallRoom {
  readonly receive: (decoder: BodyDecoder) => ResponseBody;
  /** Frees memory and disk. The bytes are gone at once when all images of the call are stored; otherwise something may still read them. */
  readonly close: (isStored: boolean) => void;
}

/** Room of a process for the responses of its providers. */
export interface ResponseStore {
  /** Waits until the spool can take the largest response to expect of one more call. Rejects with the reason of the signal. */
  readonly open: (terms: RoomTerms) => Promise<CallRoom>;
}

/** Terms of a response store. */
export interface ResponseStoreOptions {
  readonly spool: Spool;
  /** Size of the spool in bytes. */
  readonly spoolBytes: number;
  /** Memory, in bytes, for responses that are decoded and stored; a single larger one takes all of it. */
  readonly memoryBytes: number;
  readonly logger: Pick<Logger, 'warn'>;
  readonly metrics: Pick<Metrics, 'answerMemoryBytes'>;
}

/**
 * Creates the store of responses. Small ones stay in memory. Larger ones are decoded as they arrive while half of the memory is
 * free, so that slow senders never hold the other half. Their connections wait for that a moment. All others are written to
 * the spool, and decoded when there is memory. They hold that memory until their images are stored. During an outage of the
 * object store, responses without memory therefore wait on disk, and the provider never waits. Reservations make sure that the
 * disk suffices for every call under way. A response that is larger than expected takes what is free, and otherwise its
 * connection waits for memory.
 */
export function createResponseStore(options: ResponseStoreOptions): ResponseStore {
  const { logger, metrics } = options;
  const disk = { spool: options.spool, permits: createSemaphore({ permits: options.spoolBytes }) };
  const memory = createSemaphore({ permits: options.memoryBytes });
  const arrivingBytes = Math.floor(options.memoryBytes / 2);
  const arriving = createSemaphore({ permits: arrivingBytes });
  return {
    open: async (terms) => {
      const { key, signal } = terms;
      const spool = await reserveSpool(disk, terms);
      const own = createCallMemory();
      let release = (): void => undefined;
      let isClosed = false;
      const hold = (count: number, releasePermits: () => void): void => {
        metrics.answerMemoryBytes.inc(count);
        let isHeld = true;
        release = () => {
          if (!isHeld) {
            return;
          }
          isHeld = false;
          metrics.answerMemoryBytes.dec(count);
          releasePermits();
        };
        // The attempt was stopped during the wait, and nothing releases this memory later.
        if (isClosed) {
          release();
        }
      };
      const admit = async (bytes: number): Promise<void> => {
        // The image before has been stored: a call takes one after another, and waits for no memory while it holds some.
        release();
        const count = Math.min(bytes, options.memoryBytes);
        hold(count, await memory.acquire({ key, signal, count }));
      };
      const tryAdmit = async (count: number, waitMs: number): Promise<boolean> => {
        release();
        if (count > arrivingBytes) {
          return false;
        }
        const releaseArriving = await acquireWithin(arriving, waitMs, { key, signal, count });
        if (releaseArriving === null) {
          return false;
        }
        if (memory.available() < count) {
          releaseArriving();
          return false;
        }
        const releaseMemory = await memory.acquire({ key, signal, count });
        hold(count, () => {
          releaseArriving();
          releaseMemory();
        });
        return true;
      };
      return {
        receive: (decoder) => createResponseBody({ spool, logger, decoder, memory: own, admit, tryAdmit }),
        close: (isStored) => {
          isClosed = true;
          if (isStored) {
            own.freeAll();
          }
          release();
          spool.release();
        },
      };
    },
  };
}

/** Acquires permits, or gives up after a time and returns null. Rejects when the call has ended. */
async function acquireWithin(
  semaphore: Semaphore,
  waitMs: number,
  { signal, ...terms }: Pick<RoomTerms, 'key' | 'signal'> & { readonly count: number },
): Promise<(() => void) | null> {
  if (semaphore.available() >= terms.count) {
    return semaphore.acquire({ ...terms, signal });
  }
  if (waitMs === 0) {
    return null;
  }
  const late = AbortSignal.timeout(waitMs);
  try {
    return await semaphore.acquire({ ...terms, signal: AbortSignal.any([signal, late]) });
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) {
      return null;
    }
    throw error;
  }
}
