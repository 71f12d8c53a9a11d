import type { DashboardApi } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import type { RateLimiter } from '@image-gateway/shared/limits';
import type { OwnerHandler } from './route.js';

/** Changes of an account that leave a row behind, such as a key or an entry of the audit log. So many may come at once. */
const RATES = {
  access: {
    limit: 300,
    windowSeconds: 86_400,
    text: 'make 300 changes a day to its keys and its webhook secret',
  },
  resends: { limit: 300, windowSeconds: 3_600, text: 'send 300 webhooks an hour again' },
} as const;

/** Limits changes of one account, so that no owner fills tables and the audit log. Throws AppError `RATE_LIMITED`. */
export function limitChanges<R extends keyof DashboardApi>(
  { limiter }: { readonly limiter: RateLimiter },
  what: keyof typeof RATES,
  handle: OwnerHandler<R>,
): OwnerHandler<R> {
  const { text, ...rate } = RATES[what];
  return async (call) => {
    const decision = await limiter.consume([{ policy: `changes-${what}`, key: call.accountId, ...rate }]);
    if (!decision.allowed) {
      throw new AppError('RATE_LIMITED', {
        publicMessage: `An account may ${text}. Try again later.`,
        retryAfterSeconds: Math.ceil(decision.retryAfterMs / 1000),
      });
    }
    return handle(call);
  };
}
