import type { Behaviour, Refusal } from '../core/behaviour.js';
import { getRetryAfterSeconds } from '../core/get-retry-after-seconds.js';
import type { StubCall } from '../core/protocol.js';
import type { StubResponse } from '../core/stub-response.js';

/** An error in Google's form. */
export function geminiError(
  status: number,
  code: string,
  message: string,
  details?: readonly object[],
): StubResponse {
  return {
    status,
    headers: { 'server-timing': 'gfet4t7; dur=87', vary: 'Origin, X-Origin, Referer' },
    body: { error: { code: status, message, status: code, ...(details !== undefined && { details }) } },
  };
}

/** How the Gemini API refuses, after answers that were seen. */
export function geminiRefusal(refusal: Refusal, { model }: StubCall, behaviour: Behaviour): StubResponse {
  switch (refusal) {
    case 'overload':
      return geminiError(
        503,
        'UNAVAILABLE',
        'This model is currently experiencing high demand. Spikes in demand are usually temporary. Please try again later.',
      );
    case 'rate-limit':
      return quota('GenerateRequestsPerMinutePerProjectPerModel', model, getRetryAfterSeconds(behaviour));
    case 'quota':
      return quota('GenerateRequestsPerDayPerProjectPerModel', model, getRetryAfterSeconds(behaviour));
    case 'auth':
      return wrongKey();
    case 'billing':
      return geminiError(
        429,
        'RESOURCE_EXHAUSTED',
        'Your prepayment credits are depleted. Please go to AI Studio at https://ai.studio/projects to manage your project and billing.',
      );
    case 'model-gone':
      return modelGone(model ?? '');
    case 'geo':
      return geminiError(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.');
    case 'server-error':
      return geminiError(500, 'INTERNAL', 'An internal error has occurred. Please retry.');
    case 'timeout':
      return geminiError(504, 'DEADLINE_EXCEEDED', 'Deadline expired before operation could complete.');
  }
}

/** Google's answer to a key that it does not know: a 400. */
export function wrongKey(): StubResponse {
  return geminiError(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
    errorInfo('API_KEY_INVALID'),
  ]);
}

/** Google's answer about a model that it does not have. */
export function modelGone(model: string): StubResponse {
  return geminiError(
    404,
    'NOT_FOUND',
    `models/${model} is not found for API version v1beta, or is not supported for generateContent. Call ModelService.ListModels to see the list of available models and their supported methods.`,
  );
}

function errorInfo(reason: string): object {
  return {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain: 'googleapis.com',
    metadata: { service: 'generativelanguage.googleapis.com' },
  };
}

function quota(quotaId: string, model: string | null, seconds: number): StubResponse {
  return geminiError(
    429,
    'RESOURCE_EXHAUSTED',
    `You exceeded your current quota, please check your plan and billing details.\nPlease retry in ${seconds}s.`,
    [
      {
        '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
        violations: [
          {
            quotaMetric: 'generativelanguage.googleapis.com/generate_requests_per_model',
            quotaId,
            quotaDimensions: { location: 'global', model },
            quotaValue: '10',
          },
        ],
      },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${seconds}s` },
    ],
  );
}
