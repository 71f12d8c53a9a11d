import { createSemaphore, type Semaphore } from '@image-gateway/shared/concurrency';
import { AppError } from '@image-gateway/shared/errors';

/** Places of uploads. Both functions return the one that frees the place, and throw AppError `RATE_LIMITED`. */
export interface UploadSlots {
  /** Takes a place for an account at once. */
  readonly enter: (accountId: string) => () => void;
  /** Waits for a place, in the order of arrival. */
  readonly wait: (accountId: string, signal: AbortSignal) => Promise<() => void>;
}

/** Uploads of an account at a time, in this process. */
const MAX_UPLOADS = 8;
const MAX_WAIT_MS = 60_000;

/** Creates the places of uploads of a process. */
export function createUploadSlots(): UploadSlots {
  const accounts = new Map<string, { readonly places: Semaphore; users: number }>();
  const use = (accountId: string): { readonly places: Semaphore; readonly leave: () => void } => {
    const account = accounts.get(accountId) ?? { places: createPlaces(), users: 0 };
    accounts.set(accountId, account);
    account.users += 1;
    const leave = (): void => {
      account.users -= 1;
      if (account.users === 0) {
        accounts.delete(accountId);
      }
    };
    return { places: account.places, leave };
  };
  return {
    enter: (accountId) => {
      const { places, leave } = use(accountId);
      const release = places.tryAcquire();
      if (!release) {
        leave();
        throw tooMany();
      }
      return () => {
        release();
        leave();
      };
    },
    wait: async (accountId, signal) => {
      const { places, leave } = use(accountId);
      try {
        const release = await places.acquire({ signal });
        return () => {
          release();
          leave();
        };
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}

function createPlaces(): Semaphore {
  return createSemaphore({ permits: MAX_UPLOADS, timeout: { ms: MAX_WAIT_MS, createError: tooMany } });
}

function tooMany(): AppError {
  return new AppError('RATE_LIMITED', {
    publicMessage: `This account has ${MAX_UPLOADS} uploads under way, the maximum. Wait for some to finish.`,
    retryAfterSeconds: 1,
  });
}
