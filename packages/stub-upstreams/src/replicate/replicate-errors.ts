import type { Behaviour, Refusal } from '../core/behaviour.js';
import type { Violation } from '../core/check-fields.js';
import { getRetryAfterSeconds } from '../core/get-retry-after-seconds.js';
import type { StubCall } from '../core/protocol.js';
import type { StubResponse } from '../core/stub-response.js';

/** An error in Replicate's form. */
export function replicateError(
  status: number,
  detail: string,
  title?: string,
  more: object = {},
): StubResponse {
  return { status, body: { ...(title !== undefined && { title }), detail, status, ...more } };
}

/** Builds Replicate's response to invalid fields. */
export function replicateViolations(violations: readonly Violation[], within: string): StubResponse {
  const fields = violations.map(({ path, fault, rule, value }) => {
    const name = String(path.at(-1) ?? within);
    const description =
      fault === 'unknown'
        ? `Additional property ${name} is not allowed`
        : fault === 'missing'
          ? `${name} is required`
          : rule?.allowed !== undefined
            ? `${name} must be one of the following: ${rule.allowed.map((one) => `"${one}"`).join(', ')}`
            : `Invalid type. Expected: ${rule?.type ?? 'value'}, given: ${typeof value}`;
    const types = { unknown: 'additional_property_not_allowed', missing: 'required', enum: 'enum' } as const;
    const type =
      fault === 'unknown' || fault === 'missing' || fault === 'enum' ? types[fault] : 'invalid_type';
    return { type, field: [within, ...path].filter((part) => part !== '').join('.'), description };
  });
  const detail = fields.map(({ field, description }) => `- ${field}: ${description}\n`).join('');
  return replicateError(422, detail, 'Input validation failed', { invalid_fields: fields });
}

/** How Replicate refuses a request, after answers that were seen. */
export function replicateRefusal(refusal: Refusal, _call: StubCall, behaviour: Behaviour): StubResponse {
  switch (refusal) {
    case 'overload':
      return replicateError(503, 'Service temporarily unavailable');
    case 'rate-limit': {
      const seconds = getRetryAfterSeconds(behaviour);
      return {
        ...replicateError(
          429,
          `Request was throttle. Your rate limit resets in ~${seconds}s.`,
          'Too many requests',
          { retry_after: seconds },
        ),
        headers: { 'retry-after': String(seconds) },
      };
    }
    case 'auth':
      return replicateWrongKey();
    case 'quota':
    case 'billing':
      return replicateError(
        402,
        'You have insufficient credit to run this model. Go to https://replicate.com/account/billing#billing to purchase credit.',
        'Insufficient credit',
      );
    case 'model-gone':
      return replicateNotFound();
    case 'geo':
      return replicateError(403, 'This service is not available in your region.', 'Forbidden');
    case 'server-error':
      return replicateError(500, 'Internal server error');
    case 'timeout':
      return replicateError(504, 'Gateway timeout');
  }
}

/** Replicate's answer to a key that it does not know, or to none. */
export function replicateWrongKey(): StubResponse {
  return replicateError(401, 'You did not pass a valid authentication token', 'Unauthenticated');
}

/** Replicate's answer about anything that it does not have. */
export function replicateNotFound(): StubResponse {
  return replicateError(404, 'The requested resource could not be found.');
}
