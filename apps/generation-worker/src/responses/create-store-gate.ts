import { AppError } from '@image-gateway/shared/errors';
import { pause } from '@image-gateway/shared/lifecycle';
import type { Logger } from '@image-gateway/shared/logging';
import { orAbort } from '../attempt/persist.js';

/** Gate that lets new calls begin only while the object store takes images. */
export interface StoreGate {
  readonly isOpen: () => boolean;
  /** Resolves when the gate is open. Rejects with the reason of the signal. */
  readonly passed: (signal: AbortSignal) => Promise<void>;
  /** Runs a put. A transient failure closes the gate, a success opens it. */
  readonly watch: <T>(put: () => Promise<T>) => Promise<T>;
}

/** Terms of a gate. */
export interface StoreGateOptions {
  /** Puts an object into the object store; throws during an outage. */
  readonly probe: () => Promise<unknown>;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  /** Receives why the gate has closed, and null when it opens. */
  readonly onChange: (fault: string | null) => void;
  /** Ends the probing. */
  readonly signal: AbortSignal;
}

interface Closure {
  readonly opened: Promise<void>;
  readonly end: () => void;
}

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 2_000;

/**
 * Creates an open gate. It closes with the first failed put, because each further call would buy an image that can only wait.
 * Retries of waiting images open it with the first success. So does a probe, because no image may be waiting.
 */
export function createStoreGate({ probe, logger, onChange, signal }: StoreGateOptions): StoreGate {
  let closed: Closure | null = null;
  const open = (): void => {
    if (closed === null) {
      return;
    }
    logger.info('the object store takes images again, new calls begin');
    closed.end();
    closed = null;
    onChange(null);
  };
  const probeUntilOpen = async (own: Closure): Promise<void> => {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      await pause(pauseMs, signal);
      if (closed !== own || signal.aborted) {
        return;
      }
      await probe().then(open, () => undefined);
    }
  };
  const close = (error: AppError): void => {
    if (closed !== null) {
      return;
    }
    logger.warn('the object store takes no images, no new call begins', { error });
    let end = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      end = resolve;
    });
    closed = { opened, end };
    onChange(error.message);
    void probeUntilOpen(closed);
  };
  return {
    isOpen: () => closed === null,
    passed: async (waitSignal) => {
      while (closed !== null) {
        await orAbort(closed.opened, waitSignal);
      }
    },
    watch: async (put) => {
      try {
        const result = await put();
        open();
        return result;
      } catch (error) {
        if (error instanceof AppError && error.retryable) {
          close(error);
        }
        throw error;
      }
    },
  };
}
