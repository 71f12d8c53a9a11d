import type { DashboardApi } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import type { RateLimiter } from '@image-gateway/shared/limits';
import type { OwnerHandler } from './route.js';

/** Changes of an account that leave a row behind, such as a new key or an entry of the audit log. So many may come at once. */
const RATE = { limit: 300, windowSeconds: 3_600 };

/** Limits changes of one account, so that no owner fills tables and the audit log. Throws AppError `RATE_LIMITED`. */
export function limitChanges<R extends keyof DashboardApi>(
  { limiter }: { readonly limiter: RateLimiter },
  handle: OwnerHandler<R>,
): OwnerHandler<R> {
  return async (call) => {
    const decision = await limiter.consume([{ policy: 'changes', key: call.accountId, ...RATE }]);
    if (!decision.allowed) {
      throw new AppError('RATE_LIMITED', {
        publicMessage: `An account may make ${RATE.limit} changes an hour to its keys and webhooks. Try again later.`,
        retryAfterSeconds: Math.ceil(decision.retryAfterMs / 1000),
      });
    }
    return handle(call);
  };
}
