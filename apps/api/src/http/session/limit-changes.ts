import { AppError } from '@image-gateway/shared/errors';
import type { RateLimiter } from '@image-gateway/shared/limits';
import type { OwnerCall } from '../define-route.js';

/** Changes of an account that leave a row behind, such as a key or an entry of the audit log. So many may come at once. */
const RATES = {
  access: {
    limit: 300,
    windowSeconds: 86_400,
    text: 'make 300 changes a day to its keys and its webhook secret',
  },
  resends: { limit: 300, windowSeconds: 3_600, text: 'send 300 webhooks an hour again' },
} as const;

/** Limits changes of one account, so that no owner fills tables and the audit log. The returned check throws AppError `RATE_LIMITED`. */
export function limitChanges(
  limiter: RateLimiter,
  what: keyof typeof RATES,
): (call: Pick<OwnerCall, 'accountId'>) => Promise<void> {
  const { text, ...rate } = RATES[what];
  return async ({ accountId }) => {
    const decision = await limiter.consume([{ policy: `changes-${what}`, key: accountId, ...rate }]);
    if (!decision.allowed) {
      throw new AppError('RATE_LIMITED', {
        publicMessage: `An account may ${text}. Try again later.`,
        retryAfterSeconds: Math.ceil(decision.retryAfterMs / 1000),
      });
    }
  };
}
