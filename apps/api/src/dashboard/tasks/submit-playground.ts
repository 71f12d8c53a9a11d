import type { Envelope, PublicTask } from '@image-gateway/shared/contract';
import type { RateLimiter } from '@image-gateway/shared/limits';
import { type CallerRates, getAccountLimits } from '../../http/account-checks.js';
import type { Handler, KeyCall } from '../../http/framework/call.js';
import { rateLimitError } from '../../http/rate-headers.js';
import { PLAYGROUND_KEY_ID } from '../playground-key.js';
import type { OwnerHandler } from '../route.js';

/** What submitting in the dashboard needs. */
export interface SubmitPlaygroundDeps extends CallerRates {
  /** The handler of `POST /v1/generate`. */
  readonly generate: Handler<KeyCall, Envelope<PublicTask>>;
  readonly limiter: RateLimiter;
}

/** `POST /dashboard/api/generate`: the very `POST /v1/generate`, paid by the user's account, limited like one more key of it and with the account. */
export function submitPlayground(deps: SubmitPlaygroundDeps): OwnerHandler<'post /generate'> {
  return async (call) => {
    const { accountId, user } = call;
    const requests = user.account?.requests ?? undefined;
    const apiKeyId = `${PLAYGROUND_KEY_ID}:${accountId}`;
    const decision = await deps.limiter.consume(getAccountLimits(deps, { accountId, apiKeyId, requests }));
    if (!decision.allowed) throw rateLimitError(decision);
    return deps.generate({ ...call, caller: { accountId, apiKeyId: PLAYGROUND_KEY_ID } });
  };
}
