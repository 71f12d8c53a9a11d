import { DEFAULT_KEY_SCOPES, type Envelope, type PublicTask } from '@image-gateway/shared/contract';
import type { RateLimiter } from '@image-gateway/shared/limits';
import type { Handler, KeyCall } from '../../http/framework/call.js';
import { type CallerRates, getAccountLimits, rateLimitError } from '../../http/rate-limits.js';
import type { OwnerHandler } from '../route.js';

/** Dependencies of submitting in the dashboard. */
export interface SubmitPlaygroundDeps extends CallerRates {
  /** The handler of `POST /v1/generate`. */
  readonly generate: Handler<KeyCall, Envelope<PublicTask>>;
  readonly limiter: RateLimiter;
}

/** `POST /dashboard/api/generate`: `POST /v1/generate`, charged to the user's account and limited like one more key of it. */
export function submitPlayground(deps: SubmitPlaygroundDeps): OwnerHandler<'post /generate'> {
  return async (call) => {
    const { accountId, user } = call;
    const requests = user.account?.requests ?? undefined;
    const apiKeyId = `${PLAYGROUND_KEY_ID}:${accountId}`;
    const decision = await deps.limiter.consume(getAccountLimits(deps, { accountId, apiKeyId, requests }));
    if (!decision.allowed) {
      throw rateLimitError(decision);
    }
    const caller = {
      accountId,
      apiKeyId: PLAYGROUND_KEY_ID,
      models: [],
      scopes: DEFAULT_KEY_SCOPES,
      joinEqual: false,
    };
    return deps.generate({ ...call, caller });
  };
}

/** Id in place of an API key on tasks that were submitted in the dashboard; no key has it. */
const PLAYGROUND_KEY_ID = 'key_playground';
