import type { Behaviour, Refusal } from '../core/behaviour.js';
import type { Violation } from '../core/check-fields.js';
import { getRetryAfterSeconds } from '../core/get-retry-after-seconds.js';
import type { StubCall } from '../core/protocol.js';
import type { StubResponse } from '../core/stub-response.js';

/** An error of fal's platform: before or around the model. */
export function falError(
  status: number,
  detail: string,
  type?: string,
  headers: Record<string, string> = {},
): StubResponse {
  return {
    status,
    headers: { ...headers, ...(type !== undefined && { 'x-fal-error-type': type }) },
    body: { detail, ...(type !== undefined && { error_type: type }) },
  };
}

/** An error of the model, which stands in the result of a job. */
export function falModelError(
  type: string,
  msg: string,
  loc: readonly (string | number)[],
  more: object = {},
): StubResponse {
  return {
    status: 422,
    headers: { 'x-fal-retryable': String(type === 'no_media_generated') },
    body: { detail: [{ loc, msg, type, url: `https://docs.fal.ai/errors#${type}`, ...more }] },
  };
}

/** Builds fal's response to an invalid field of a request. */
export function falViolation({ path, fault, rule, value }: Violation): StubResponse {
  const loc = ['body', ...path];
  if (fault === 'missing') {
    return falModelError('missing', 'Field required', loc, { input: value });
  }
  if (fault === 'unknown') {
    return falModelError('extra_forbidden', 'Extra inputs are not permitted', loc, { input: value });
  }
  if (fault === 'enum') {
    const expected = rule?.allowed?.map((name) => `'${name}'`).join(', ') ?? '';
    return falModelError('literal_error', `Input should be ${expected}`, loc, {
      ctx: { expected },
      input: value,
    });
  }
  return falModelError('value_error', `Input should be a valid ${rule?.type ?? 'value'}`, loc, {
    input: value,
  });
}

/** How fal refuses a request, after answers that were seen. */
export function falRefusal(refusal: Refusal, { model }: StubCall, behaviour: Behaviour): StubResponse {
  switch (refusal) {
    case 'overload':
      return falError(503, 'Runner scheduling failure', 'runner_scheduling_failure');
    case 'rate-limit':
      return falError(429, 'Too many requests', undefined, {
        'retry-after': String(getRetryAfterSeconds(behaviour)),
      });
    case 'auth':
      return falWrongKey(model);
    case 'quota':
    case 'billing':
      return falError(
        403,
        'User is locked. Reason: Exhausted balance. Top up your balance at fal.ai/dashboard/billing.',
      );
    case 'model-gone':
      return falError(404, `Application '${model ?? ''}' not found`);
    case 'geo':
      return falError(403, 'This service is not available in your region.');
    case 'server-error':
      return falError(500, 'Internal server error', 'internal_server_error');
    case 'timeout':
      return falError(504, 'Generation timeout', 'generation_timeout');
  }
}

/** fal's answer to a key that it does not know, or to none. */
export function falWrongKey(model: string | null): StubResponse {
  return falError(
    401,
    `Cannot access application '${model ?? ''}'. Authentication is required to access this application.`,
  );
}
