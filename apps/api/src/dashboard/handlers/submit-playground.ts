import type { Rate } from '@image-gateway/shared/config';
import { AppError } from '@image-gateway/shared/errors';
import type { RateLimiter } from '@image-gateway/shared/limits';
import type { Handler, KeyCall } from '../../http/call.js';
import type { OwnerCall } from '../call.js';
import { PLAYGROUND_KEY_ID } from '../playground-key.js';

/** What submitting in the dashboard needs. */
export interface SubmitPlaygroundDeps {
  /** The handler of `POST /v1/generate`. */
  readonly generate: Handler<KeyCall>;
  readonly limiter: RateLimiter;
  /** As for a key; null: no limit. */
  readonly rate: Rate | null;
}

/** `POST /dashboard/api/generate`: the very `POST /v1/generate`, paid by the viewer's account, limited like one more key of it. */
export function submitPlayground({ generate, limiter, rate }: SubmitPlaygroundDeps): Handler<OwnerCall> {
  return async (call) => {
    const { accountId } = call;
    if (rate) {
      const check = { policy: 'key', key: `${PLAYGROUND_KEY_ID}:${accountId}`, ...rate };
      const decision = await limiter.consume([check]);
      if (!decision.allowed)
        throw new AppError('RATE_LIMITED', { retryAfterSeconds: Math.ceil(decision.retryAfterMs / 1000) });
    }
    return generate({ ...call, caller: { accountId, apiKeyId: PLAYGROUND_KEY_ID } });
  };
}
