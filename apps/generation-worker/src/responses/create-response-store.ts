import { createSemaphore } from '@image-gateway/shared/concurrency';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import { MAX_RESPONSE_BYTES } from '../providers/http/create-upstream.js';
import type { ResponseBody } from '../providers/port.js';
import { createResponseBody } from './create-response-body.js';
import type { Spool } from './create-spool.js';

/** Call on whose behalf room is taken. */
export interface CallOwner {
  /** Account; waiting accounts take turns. */
  readonly key: string;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/** Room of one call for its responses, one large one at a time. */
export interface CallRoom {
  readonly receive: () => ResponseBody;
  /** Frees the memory; the images of the call are stored by now. */
  readonly close: () => void;
}

/** Room of a process for the responses of its providers. */
export interface ResponseStore {
  /** Waits until the spool can take the largest response of one more call; the returned function ends the reservation. Rejects with the reason of the signal. */
  readonly reserve: (owner: CallOwner) => Promise<() => void>;
  readonly open: (owner: CallOwner) => CallRoom;
}

/** Terms of a response store. */
export interface ResponseStoreOptions {
  readonly spool: Spool;
  /** Size of the spool in bytes. */
  readonly spoolBytes: number;
  /** Memory, in bytes, for responses that are being decoded and stored; a single larger one takes all of it. */
  readonly memoryBytes: number;
  readonly logger: Pick<Logger, 'warn'>;
  readonly metrics: Pick<Metrics, 'answerMemoryBytes'>;
}

/**
 * Creates the store of responses. Small ones stay in memory. Larger ones are written to the spool as they arrive, and are read
 * back when there is memory to decode them. They hold that memory until their images are stored. During an outage of the object store,
 * responses without memory therefore wait on disk, and the provider never waits. Reservations make sure that the disk
 * suffices for every call under way.
 */
export function createResponseStore(options: ResponseStoreOptions): ResponseStore {
  const { spool, logger, metrics } = options;
  const reservations = createSemaphore({ permits: options.spoolBytes });
  const memory = createSemaphore({ permits: options.memoryBytes });
  return {
    reserve: (owner) => reservations.acquire({ ...owner, count: MAX_RESPONSE_BYTES }),
    open: (owner) => {
      let release = (): void => undefined;
      const admit = async (bytes: number): Promise<void> => {
        // The image before has been stored: a call takes one after another, and waits for no memory while it holds some.
        release();
        const count = Math.min(bytes, options.memoryBytes);
        const releasePermits = await memory.acquire({ ...owner, count });
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
      };
      let isClosed = false;
      return {
        receive: () =>
          createResponseBody({
            spool,
            logger,
            admit: async (bytes) => {
              await admit(bytes);
              // The attempt was stopped during the wait, and nothing releases this memory later.
              if (isClosed) {
                release();
              }
            },
          }),
        close: () => {
          isClosed = true;
          release();
        },
      };
    },
  };
}
