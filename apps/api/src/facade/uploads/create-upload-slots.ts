import { AppError } from '@image-gateway/shared/errors';

/** Places of uploads. */
export interface UploadSlots {
  /** Takes a place for an account and returns the function that frees it; throws AppError `RATE_LIMITED`. */
  readonly enter: (accountId: string) => () => void;
}

/** Uploads of an account at a time, in this process. */
const MAX_UPLOADS = 8;

/** Creates the places of uploads of a process. */
export function createUploadSlots(): UploadSlots {
  const counts = new Map<string, number>();
  return {
    enter: (accountId) => {
      const count = counts.get(accountId) ?? 0;
      if (count >= MAX_UPLOADS) {
        throw new AppError('RATE_LIMITED', {
          publicMessage: `This account has ${MAX_UPLOADS} uploads under way, the maximum. Wait for some to finish.`,
          retryAfterSeconds: 1,
        });
      }
      counts.set(accountId, count + 1);
      return () => {
        const left = (counts.get(accountId) ?? 1) - 1;
        if (left === 0) {
          counts.delete(accountId);
        } else {
          counts.set(accountId, left);
        }
      };
    },
  };
}
