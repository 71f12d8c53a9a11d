import { createSemaphore } from '@image-gateway/shared/concurrency';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import type { BodyDecoder } from '../providers/http/body-decoder.js';
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
  readonly receive: (decoder: BodyDecoder) => ResponseBody;
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
  /** Memory, in bytes, for responses that are decoded and stored; a single larger one takes all of it. */
  readonly memoryBytes: number;
  readonly logger: Pick<Logger, 'warn'>;
  readonly metrics: Pick<Metrics, 'answerMemoryBytes'>;
}

/**
 * Creates the store of responses. Small ones stay in memory. Larger ones are decoded as they arrive while half of the memory is
 * free, so that slow senders never hold the other half. All others are written to the spool, and decoded when there is
 * memory. They hold that memory until their images are stored. During an outage of the object store, responses without
 * memory therefore wait on disk, and the provider never waits. Reservations make sure that the disk suffices for every
 * call under way.
 */
export function createResponseStore(options: ResponseStoreOptions): ResponseStore {
  const { spool, logger, metrics } = options;
  const reservations = createSemaphore({ permits: options.spoolBytes });
  const memory = createSemaphore({ permits: options.memoryBytes });
  const arriving = createSemaphore({ permits: Math.floor(options.memoryBytes / 2) });
  return {
    reserve: (owner) => reservations.acquire({ ...owner, count: MAX_RESPONSE_BYTES }),
    open: (owner) => {
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
        hold(count, await memory.acquire({ ...owner, count }));
      };
      const tryAdmit = async (count: number): Promise<boolean> => {
        release();
        if (arriving.available() < count || memory.available() < count) {
          return false;
        }
        const [releaseArriving, releaseMemory] = await Promise.all([
          arriving.acquire({ ...owner, count }),
          memory.acquire({ ...owner, count }),
        ]);
        hold(count, () => {
          releaseArriving();
          releaseMemory();
        });
        return true;
      };
      return {
        receive: (decoder) => createResponseBody({ spool, logger, decoder, admit, tryAdmit }),
        close: () => {
          isClosed = true;
          release();
        },
      };
    },
  };
}
