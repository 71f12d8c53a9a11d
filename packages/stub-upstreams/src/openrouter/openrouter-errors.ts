import { randomBytes } from 'node:crypto';
import type { Behaviour, Refusal } from '../core/behaviour.js';
import { getRetryAfterSeconds } from '../core/get-retry-after-seconds.js';
import type { StubCall } from '../core/protocol.js';
import type { StubResponse } from '../core/stub-response.js';

const DOCS = 'https://openrouter.ai/docs/errors';

/** An error in OpenRouter's common form. */
export function openrouterError(
  status: number,
  message: string,
  errorType?: string,
  more: object = {},
): StubResponse {
  const metadata = errorType === undefined ? {} : { metadata: { error_type: errorType } };
  return {
    status,
    headers: openrouterHeaders(),
    body: { error: { code: status, message, ...metadata, ...more }, user_id: 'user_stub' },
  };
}

/** Returns the headers of every response of OpenRouter. */
export function openrouterHeaders(): Record<string, string> {
  return { 'x-generation-id': `gen-img-${randomBytes(10).toString('hex')}` };
}

/** How OpenRouter refuses a request, after answers that were seen or are documented. */
export function openrouterRefusal(refusal: Refusal, { model }: StubCall, behaviour: Behaviour): StubResponse {
  const seconds = getRetryAfterSeconds(behaviour);
  switch (refusal) {
    case 'overload':
      return overloaded(model, seconds);
    case 'rate-limit': {
      const answer = openrouterError(429, 'Rate limit exceeded', 'rate_limit_exceeded');
      return { ...answer, headers: { ...answer.headers, 'retry-after': String(seconds) } };
    }
    case 'auth':
      return openrouterWrongKey('unknown');
    case 'quota':
    case 'billing':
      return openrouterError(
        402,
        'Insufficient credits. Add more using https://openrouter.ai/settings/credits',
      );
    case 'model-gone':
      return openrouterModelGone(model);
    case 'geo':
      return openrouterError(403, 'This model is not available in your region.', 'permission_denied', {
        availability: availability('region_restricted', model),
      });
    case 'server-error':
      return openrouterError(502, 'Provider returned error', 'provider_unavailable');
    case 'timeout':
      return openrouterError(504, 'Provider timed out', 'timeout');
  }
}

/** OpenRouter's answer to a key that it does not know, or to none. */
export function openrouterWrongKey(key: string | null): StubResponse {
  const message = key === null ? 'Missing Authentication header' : 'User not found.';
  return { status: 401, headers: openrouterHeaders(), body: { error: { message, code: 401 } } };
}

/** OpenRouter's answer about a model that it does not have: a 400. */
export function openrouterModelGone(model: string | null): StubResponse {
  return openrouterError(400, `${model ?? ''} is not a valid model ID`, 'invalid_request', {
    availability: availability('model_not_found', model),
  });
}

// The documented form of the availability errors has no `code` of its own.
function overloaded(model: string | null, seconds: number): StubResponse {
  return {
    status: 503,
    headers: { ...openrouterHeaders(), 'retry-after': String(seconds) },
    body: {
      error: {
        message: 'All attempts failed with transient upstream errors.',
        error_type: 'provider_overloaded',
        http_status: 503,
        availability: {
          ...availability('temporarily_unavailable', model),
          retryable: true,
          retry_after: seconds,
        },
      },
    },
  };
}

function availability(code: string, model: string | null): object {
  return { code, retryable: false, requested_models: [model], docs_url: `${DOCS}#${code}` };
}
