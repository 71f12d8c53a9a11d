import type { Behaviour, Refusal } from '../core/behaviour.js';
import { getRetryAfterSeconds } from '../core/get-retry-after-seconds.js';
import type { StubCall } from '../core/protocol.js';
import type { StubResponse } from '../core/stub-response.js';
import { openaiRefusal } from './openai-errors.js';

const azureError = (
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): StubResponse => ({ status, headers, body: { error: { code, message } } });

/** Azure's answer to a key that it does not know, or to none. */
export function azureWrongKey(): StubResponse {
  return azureError(
    401,
    '401',
    'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.',
  );
}

/** How Azure refuses a request (learn.microsoft.com, quotas and errors of Azure OpenAI); otherwise as OpenAI does. */
export function azureRefusal(refusal: Refusal, call: StubCall, behaviour: Behaviour): StubResponse {
  switch (refusal) {
    case 'auth':
      return azureWrongKey();
    case 'model-gone':
      return azureError(
        404,
        'DeploymentNotFound',
        'The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.',
      );
    case 'rate-limit': {
      const seconds = String(getRetryAfterSeconds(behaviour));
      return azureError(
        429,
        'RateLimitReached',
        `Requests to the image generation operation have exceeded call rate limit. Please retry after ${seconds} seconds.`,
        { 'retry-after': seconds },
      );
    }
    case 'overload':
    case 'quota':
    case 'billing':
    case 'geo':
    case 'server-error':
    case 'timeout':
      return openaiRefusal(refusal, call, behaviour);
  }
}
