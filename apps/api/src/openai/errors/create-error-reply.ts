import {
  type ErrorCode,
  HTTP_STATUS_BY_CODE,
  REASONS,
  type RefusalDetails,
} from '@image-gateway/shared/contract';
import type { AppError } from '@image-gateway/shared/errors';
import { FieldError } from '../../file/uploads/field-error.js';
import type { Reply } from '../../http/framework/call.js';
import { getErrorHeaders } from '../../http/framework/error-handler.js';

/** Error object of OpenAI's API. */
export interface OpenaiError {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
  /** Only with `insufficient_quota`. */
  readonly details?: RefusalDetails;
}

type Kind = Pick<OpenaiError, 'type' | 'code'>;

const invalid = (code: string | null): Kind => ({ type: 'invalid_request_error', code });
const server: Kind = { type: 'server_error', code: null };

const KINDS: Readonly<Record<ErrorCode, Kind>> = {
  BAD_REQUEST: invalid(null),
  VALIDATION_ERROR: invalid('invalid_value'),
  UNAUTHORIZED: invalid('invalid_api_key'),
  FORBIDDEN: invalid('permission_denied'),
  // Never 429, which the SDKs repeat.
  INSUFFICIENT_BALANCE: { type: 'insufficient_quota', code: 'insufficient_quota' },
  NOT_FOUND: invalid('not_found'),
  RANGE_NOT_SATISFIABLE: invalid(null),
  RATE_LIMITED: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  INTERNAL_ERROR: server,
  UPSTREAM_ERROR: server,
  SERVICE_UNAVAILABLE: server,
};

/** Returns the error object of an error. */
export function toOpenaiError(error: AppError): OpenaiError {
  const { type, code } = KINDS[error.code];
  const own = error instanceof FieldError ? error : null;
  const { publicMessage: message, details } = error;
  return { message, type, param: own?.param ?? null, code: own?.reason ?? code, ...(details && { details }) };
}

/** Creates the response of an error. CDNs replace the bodies of `502` and `504`, so neither is ever sent. */
export function createFacadeErrorReply(error: AppError): Reply {
  const { code } = error;
  return {
    status: code === 'UPSTREAM_ERROR' ? HTTP_STATUS_BY_CODE.BAD_REQUEST : HTTP_STATUS_BY_CODE[code],
    headers: {
      ...getErrorHeaders(error),
      ...(code === 'SERVICE_UNAVAILABLE' && { 'x-should-retry': 'true' }),
    },
    json: { error: toOpenaiError(error) },
  };
}

/** Says what a failed task cost, and that SDKs and people gain nothing by sending it again at once. */
const NO_USE =
  'Nothing was charged, and repeating the request at once buys nothing: the gateway has tried what there is.';

/** Returns the error object of a failed task, by its reason. */
export function explainFailure(reason: string | null): OpenaiError {
  const message = (reason ?? REASONS.internal.text).replace(/^image_urls\[/, 'image[');
  if (message === REASONS.moderation.text) {
    return { message, ...invalid('content_policy_violation'), param: 'prompt' };
  }
  if (message === REASONS.refusedInput.text || message.startsWith('image[')) {
    return { message, ...invalid(null), param: message.startsWith('image[') ? 'image' : null };
  }
  // Such a failure is repeated by the gateway, and by SDKs for any other status: each repetition would be a task of its own.
  return { message: `${message} ${NO_USE}`, ...server, param: null };
}

/** Creates the response of a failed task. Repeating it is of no use: the failover of the gateway has done that already. */
export function createFailureReply({
  id,
  error,
}: {
  readonly id: string;
  readonly error: string | null;
}): Reply {
  return {
    status: HTTP_STATUS_BY_CODE.BAD_REQUEST,
    headers: { 'Cache-Control': 'no-store', 'x-gateway-task-id': id, 'x-should-retry': 'false' },
    json: { error: explainFailure(error) },
  };
}
