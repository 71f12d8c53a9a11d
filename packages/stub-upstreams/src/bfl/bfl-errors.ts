import type { Behaviour, Refusal } from '../core/behaviour.js';
import type { Violation } from '../core/check-fields.js';
import { getRetryAfterSeconds } from '../core/get-retry-after-seconds.js';
import type { StubCall } from '../core/protocol.js';
import type { StubResponse } from '../core/stub-response.js';

const bflError = (
  status: number,
  detail: unknown,
  headers: Readonly<Record<string, string>> = {},
): StubResponse => ({ status, headers, body: { detail } });

/** Answer to a key that is not known, or to none. */
export function bflWrongKey(): StubResponse {
  return bflError(403, 'Not authenticated - Invalid Authentication');
}

/** FastAPI's answer to invalid fields. */
export function bflInvalid(violations: readonly Violation[]): StubResponse {
  return bflError(
    422,
    violations.map(({ path, fault }) => ({
      loc: ['body', ...path],
      msg: fault === 'missing' ? 'Field required' : 'Input should be valid',
      type: fault,
    })),
  );
}

/** Answer about a job that is not known. */
export function bflNotFound(id: string | null): StubResponse {
  return { status: 404, body: { id, status: 'Task not found', result: null } };
}

/** How BFL refuses a request (its documents and skills, November 2026). */
export function bflRefusal(refusal: Refusal, _call: StubCall, behaviour: Behaviour): StubResponse {
  switch (refusal) {
    case 'overload':
      return bflError(503, 'Service unavailable');
    case 'rate-limit':
      return bflError(429, 'Too many active tasks', {
        'retry-after': String(getRetryAfterSeconds(behaviour)),
      });
    case 'auth':
      return bflWrongKey();
    case 'quota':
    case 'billing':
      return bflError(402, 'Insufficient credits. Add more credits to your account.');
    case 'model-gone':
      return bflError(404, 'Not Found');
    case 'geo':
      return bflError(403, 'This service is not available in your region.');
    case 'server-error':
      return bflError(500, 'Internal server error');
    case 'timeout':
      return bflError(504, 'Gateway timeout');
  }
}
