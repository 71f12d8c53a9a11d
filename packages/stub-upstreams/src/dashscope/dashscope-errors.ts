import { randomUUID } from 'node:crypto';
import type { Behaviour, Refusal } from '../core/behaviour.js';
import { getRetryAfterSeconds } from '../core/get-retry-after-seconds.js';
import type { StubCall } from '../core/protocol.js';
import type { StubResponse } from '../core/stub-response.js';

/** An error of DashScope (alibabacloud.com/help/en/model-studio/error-code). */
export function dashscopeError(
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): StubResponse {
  return { status, headers, body: { request_id: randomUUID(), code, message } };
}

/** Answer to a key that it does not know. */
export function dashscopeWrongKey(): StubResponse {
  return dashscopeError(401, 'InvalidApiKey', 'Invalid API-key provided.');
}

/** Answer to content that its check refuses. */
export function dashscopeModeration(): StubResponse {
  return dashscopeError(
    400,
    'DataInspectionFailed',
    'Input or output data may contain inappropriate content.',
  );
}

/** How DashScope refuses a request. */
export function dashscopeRefusal(refusal: Refusal, { model }: StubCall, behaviour: Behaviour): StubResponse {
  switch (refusal) {
    case 'overload':
      return dashscopeError(503, 'ModelUnavailable', 'Model is unavailable, please try again later.');
    case 'rate-limit':
      return dashscopeError(
        429,
        'Throttling.RateQuota',
        'Requests rate limit exceeded, please try again later.',
        { 'retry-after': String(getRetryAfterSeconds(behaviour)) },
      );
    case 'auth':
      return dashscopeWrongKey();
    case 'quota':
      return dashscopeError(
        403,
        'AllocationQuota.FreeTierOnly',
        'The free tier of the model has been exhausted.',
      );
    case 'billing':
      return dashscopeError(
        400,
        'Arrearage',
        'Access denied, please make sure your account is in good standing.',
      );
    case 'model-gone':
      return dashscopeError(404, 'ModelNotFound', `Model ${model ?? ''} not found`);
    case 'geo':
      return dashscopeError(403, 'AccessDenied', 'The service is not available in your region.');
    case 'server-error':
      return dashscopeError(500, 'InternalError', 'An internal error has occured, please try again later.');
    case 'timeout':
      return dashscopeError(408, 'RequestTimeOut', 'Request timed out, please try again later.');
  }
}
