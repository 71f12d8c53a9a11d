import { ProviderError } from '../errors.js';
import { getFailureByStatus } from '../failure-of-status.js';
import type { ProviderFailure } from '../failure-traits.js';
import { parseRetryAfter } from '../http/retry-after-of.js';
import { type FalAnswer, faultOf } from './fault-of.js';

// What the types of fal's errors mean: those of models (docs "Model errors") and those of the queue ("Request errors").
const FAILURE_OF_TYPE: Readonly<Record<string, ProviderFailure>> = {
  content_policy_violation: 'moderation',
  no_media_generated: 'no-image',
  file_download_error: 'input-fetch',
  image_too_large: 'invalid-input',
  image_too_small: 'invalid-input',
  unsupported_image_format: 'invalid-input',
  // We have decoded it before: that fal cannot may be fal's own trouble.
  image_load_error: 'doubtful-input',
  missing: 'config-drift',
  literal_error: 'config-drift',
  extra_forbidden: 'config-drift',
  bad_request: 'config-drift',
  internal_server_error: 'upstream-error',
  internal_error: 'upstream-error',
  downstream_service_error: 'upstream-error',
  runner_server_error: 'upstream-error',
  runner_incomplete_response: 'upstream-error',
  client_disconnected: 'upstream-error',
  downstream_service_unavailable: 'overload',
  runner_scheduling_failure: 'overload',
  runner_disconnected: 'overload',
  runner_connection_timeout: 'overload',
  runner_connection_refused: 'overload',
  runner_connection_error: 'overload',
  generation_timeout: 'timeout',
  request_timeout: 'timeout',
  startup_timeout: 'timeout',
  client_cancelled: 'canceled',
  request_cancelled: 'canceled',
};

const FLAGGED = /flagged by a content checker|content policy/i;
const LOCKED = /locked|exhausted balance|top up|insufficient (balance|credit|funds)/i;

/** What an answer that is no success says went wrong: with the submission, a look or the job itself. */
export function failureOf(answer: FalAnswer): ProviderError {
  const { status, headers } = answer;
  const { type, text } = faultOf(answer);
  return new ProviderError(classOf(answer), `fal answered ${status}${type ? ` ${type}` : ''}: ${text}`, {
    retryAfterMs: parseRetryAfter(headers),
    upstreamId: headers['x-fal-request-id'] ?? null,
  });
}

function classOf(answer: FalAnswer): ProviderFailure {
  const { status } = answer;
  const { type, text, place } = faultOf(answer);
  if (type !== null && Object.hasOwn(FAILURE_OF_TYPE, type)) return FAILURE_OF_TYPE[type] ?? 'upstream-error';
  if (status === 422 && type === null && FLAGGED.test(text)) return 'moderation';
  if (status === 422 && isCustomers(place)) return 'invalid-input';
  if (status === 403 && LOCKED.test(text)) return 'billing';
  return getFailureByStatus(status, text);
}

/** Whether an error is about the prompt or about a certain picture: those are the customer's, everything else is ours. */
function isCustomers([, field, index]: readonly unknown[]): boolean {
  return field === 'prompt' || (field === 'image_urls' && typeof index === 'number');
}
