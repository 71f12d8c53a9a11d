import { randomBytes } from 'node:crypto';
import type { Behaviour, Refusal } from '../core/behaviour.js';
import { getRetryAfterSeconds } from '../core/get-retry-after-seconds.js';
import type { StubCall } from '../core/protocol.js';
import type { StubResponse } from '../core/stub-response.js';

/** The fields of OpenAI's errors that differ. */
export interface OpenaiFault {
  readonly message: string;
  readonly type?: string;
  readonly param?: string | null;
  readonly code?: string | null;
  readonly moderation_details?: object;
}

/** An error in OpenAI's form. */
export function openaiError(
  status: number,
  { message, type = 'invalid_request_error', param = null, code = null, ...more }: OpenaiFault,
  headers: Readonly<Record<string, string>> = {},
): StubResponse {
  return {
    status,
    headers: { ...openaiHeaders(), ...headers },
    body: { error: { message, type, param, code, ...more } },
  };
}

/** Returns the headers of every response of OpenAI. */
export function openaiHeaders(): Record<string, string> {
  return {
    'x-request-id': `req_${randomBytes(16).toString('hex')}`,
    'openai-processing-ms': '41822',
    'openai-version': '2020-10-01',
  };
}

/** How OpenAI refuses a request, after answers that were seen. */
export function openaiRefusal(
  refusal: Refusal,
  { key, model }: StubCall,
  behaviour: Behaviour,
): StubResponse {
  const seconds = getRetryAfterSeconds(behaviour);
  switch (refusal) {
    case 'overload':
      return openaiError(
        503,
        {
          message: 'The engine is currently overloaded, please try again later.',
          type: 'server_error',
          code: 'server_overloaded',
        },
        { 'retry-after': String(seconds) },
      );
    case 'rate-limit':
      return openaiError(
        429,
        {
          message: `Rate limit reached for ${model ?? ''} in organization org-stub on images per min (IPM): Limit 5, Used 5, Requested 1. Please try again in ${seconds}s.`,
          type: 'input-images',
          code: 'rate_limit_exceeded',
        },
        { 'retry-after': String(seconds), 'retry-after-ms': String(seconds * 1_000) },
      );
    case 'quota':
      return openaiError(429, {
        message: 'You exceeded your current quota, please check your plan and billing details.',
        type: 'insufficient_quota',
        code: 'insufficient_quota',
      });
    case 'auth':
      return openaiWrongKey(key);
    case 'billing':
      return openaiError(400, {
        message: 'Billing hard limit has been reached',
        type: 'billing_limit_user_error',
        code: 'billing_hard_limit_reached',
      });
    case 'model-gone':
      return openaiModelGone(model);
    case 'geo':
      return openaiError(403, {
        message: 'Country, region, or territory not supported',
        type: 'request_forbidden',
        code: 'unsupported_country_region_territory',
      });
    case 'server-error':
      return openaiError(500, {
        message: 'The server had an error while processing your request. Sorry about that!',
        type: 'server_error',
      });
    case 'timeout':
      return openaiError(504, { message: 'Gateway timeout', type: 'server_error' });
  }
}

/** OpenAI's answer to a key that it does not know, or to none. */
export function openaiWrongKey(key: string | null): StubResponse {
  if (key === null) {
    return openaiError(401, {
      message:
        "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth.",
    });
  }
  return openaiError(401, { message: 'Incorrect API key provided.', code: 'invalid_api_key' });
}

/** OpenAI's answer about a model that it does not have. */
export function openaiModelGone(model: string | null): StubResponse {
  return openaiError(400, {
    message: `The model '${model ?? ''}' does not exist.`,
    type: 'image_generation_user_error',
    param: 'model',
    code: 'invalid_value',
  });
}
