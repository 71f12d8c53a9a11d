import { ProviderError, type ProviderFailure } from '../failures.js';
import { judgeResponse, parseRetryAfter, readRefusedField } from '../http/error-response.js';
import { type RequestFault, readDetail } from '../http/read-detail.js';
import { loose, readLoosely, TEXT } from '../http/read-shape.js';

/** Response of fal as far as its errors are concerned. */
export interface FalResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed body; null when it is not JSON. */
  readonly value: unknown;
}

const bodySchema = loose({ error: TEXT, error_type: TEXT });
// Types of fal's errors: those of models (docs "Model errors") and those of the queue ("Request errors").
const FAILURES_BY_TYPE: Readonly<Record<string, ProviderFailure>> = {
  content_policy_violation: 'moderation',
  no_media_generated: 'no-image',
  file_download_error: 'input-fetch',
  image_too_large: 'invalid-input',
  image_too_small: 'invalid-input',
  unsupported_image_format: 'invalid-input',
  file_too_large: 'invalid-input',
  face_detection_error: 'invalid-input',
  // The image has been decoded here before: this may be an error of fal.
  image_load_error: 'doubtful-input',
  missing: 'config-drift',
  literal_error: 'config-drift',
  extra_forbidden: 'config-drift',
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
const MAX_TEXT_CHARACTERS = 300;

/** Converts a response that is no success: to a submission, a poll or for the job itself. */
export function toProviderError(response: FalResponse): ProviderError {
  const { status, headers } = response;
  const { type, text, field } = parseErrorDetails(response);
  const message = `fal answered ${status} ${type}: ${text}`;
  const failure = getFailure(response);
  return new ProviderError(failure, message, {
    retryAfterMs: parseRetryAfter(headers),
    upstreamId: headers['x-fal-request-id'],
    field: readRefusedField(failure, field, `${type} ${text}`),
  });
}

/** Parses an error in any of fal's three shapes: a list of typed details, one text with `error_type`, or a header. */
export function parseErrorDetails({ headers, value }: FalResponse): RequestFault {
  const detail = readDetail(value);
  const { error, error_type: type } = readLoosely(bodySchema, value);
  return {
    ...detail,
    type: detail.type || type || (headers['x-fal-error-type'] ?? ''),
    text: (detail.text || error).slice(0, MAX_TEXT_CHARACTERS),
  };
}

function getFailure(response: FalResponse): ProviderFailure {
  const { status } = response;
  const { type, text, location, field } = parseErrorDetails(response);
  if (Object.hasOwn(FAILURES_BY_TYPE, type)) {
    return FAILURES_BY_TYPE[type] ?? 'upstream-error';
  }
  if (status === 422 && type === '' && FLAGGED.test(text)) {
    return 'moderation';
  }
  if (status === 422 && isCustomerField(location)) {
    return 'invalid-input';
  }
  if (status === 403 && LOCKED.test(text)) {
    return 'billing';
  }
  return judgeResponse(status, { code: type, text, field });
}

/** Returns true for the prompt and for one certain image: those are the customer's, all other fields are ours. */
function isCustomerField([, field, index]: readonly unknown[]): boolean {
  return field === 'prompt' || field === 'image_url' || (field === 'image_urls' && typeof index === 'number');
}
