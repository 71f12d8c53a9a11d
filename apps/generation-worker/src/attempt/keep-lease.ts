import { type Database, extendLease } from '@image-gateway/shared/db';
import { pause } from '@image-gateway/shared/lifecycle';
import type { Logger } from '@image-gateway/shared/logging';
import type { AbortCause } from './attempt.js';

/** Dependencies of a lease; all times in milliseconds. */
export interface LeaseDeps {
  readonly db: Pick<Database, 'run'>;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /** A monotonic clock. */
  readonly now: () => number;
}

/** Owner of a lease. */
export interface Lease {
  readonly taskId: string;
  readonly attempt: number;
  /** When the claim was sent, by the same clock: the lease cannot have begun earlier. */
  readonly claimSentAt: number;
  readonly log: Logger;
  readonly abort: (why: AbortCause) => void;
}

const AFTER_TROUBLE_MS = 500;
/** One for all leases: to make an error for each costs more than all else here. */
const STOPPED = new Error('the lease was given back');

/**
 * Renews a lease until it is stopped. The attempt is aborted when the row is no longer its own, and when no renewal
 * succeeded before the lease expired by the local clock. A short outage of the database does not abort it.
 */
export function keepLease(
  { db, leaseMs, heartbeatMs, now }: LeaseDeps,
  lease: Lease,
): { readonly stop: () => void } {
  const stopped = new AbortController();
  // Two renewals may fail before the lease runs out, however the settings are chosen.
  const everyMs = Math.min(heartbeatMs, leaseMs / 3);
  let expiry: NodeJS.Timeout | undefined;
  let leaseEndsAt = 0;
  // When a renewal was sent that has failed, or has not been answered yet.
  let unansweredSince: number | null = null;
  const expire = (): void => {
    // A renewal that was sent in time had no answer from the database; without one this process was stopped or stuck.
    lease.abort(unansweredSince !== null && unansweredSince < leaseEndsAt ? 'lease' : 'hung');
  };
  const expireAt = (at: number): void => {
    clearTimeout(expiry);
    leaseEndsAt = at;
    expiry = setTimeout(expire, Math.max(0, at - now()));
  };

  const beat = async (): Promise<number> => {
    const sentAt = now();
    if (sentAt >= leaseEndsAt) {
      expire();
    }
    unansweredSince ??= sentAt;
    try {
      const own = await extendLease(db, { taskId: lease.taskId, attempt: lease.attempt, leaseMs });
      if (stopped.signal.aborted) {
        return everyMs;
      }
      unansweredSince = null;
      if (own) {
        expireAt(sentAt + leaseMs);
      } else {
        lease.abort('lost');
      }
      return everyMs;
    } catch (error) {
      lease.log.warn('could not renew the lease', { error });
      return Math.min(everyMs, AFTER_TROUBLE_MS);
    }
  };
  const beatOn = async (): Promise<void> => {
    let waitMs = everyMs;
    for (;;) {
      await pause(waitMs, stopped.signal);
      if (stopped.signal.aborted) {
        return;
      }
      waitMs = await beat();
    }
  };

  expireAt(lease.claimSentAt + leaseMs);
  void beatOn();
  return {
    stop: () => {
      clearTimeout(expiry);
      stopped.abort(STOPPED);
    },
  };
}
