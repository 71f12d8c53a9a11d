import { failure, HTTP_STATUS_BY_CODE } from '@image-gateway/shared/contract';
import { AppError, toAppError } from '@image-gateway/shared/errors';
import type { Reply } from './call.js';

/** Faults of reading a request, by the `type` that the body parser gives them, in words for the caller. */
const READING_FAULTS: Readonly<Record<string, string>> = {
  'entity.parse.failed': 'The body is not valid JSON.',
  'entity.too.large': 'The body is larger than 256 KiB.',
  'entity.empty': 'The body is empty; a JSON object is expected.',
  'encoding.unsupported': 'The Content-Encoding of the body is not supported.',
  'charset.unsupported': 'The character set of the body is not supported; use UTF-8.',
  'charset.invalid': 'The body is not valid UTF-8.',
  'request.aborted': 'The request was cut off.',
  'request.size.invalid': 'The Content-Length does not fit the body.',
};

/** Turns anything thrown while a request was answered into an AppError; what the framework blames on the client is `BAD_REQUEST`. */
export function requestError(thrown: unknown): AppError {
  if (thrown instanceof AppError || !(thrown instanceof Error)) return toAppError(thrown);
  const { status, type } = thrown as { status?: unknown; type?: unknown };
  if (typeof status !== 'number' || status < 400 || status >= 500) return toAppError(thrown);
  const publicMessage = (typeof type === 'string' && READING_FAULTS[type]) || 'The request is malformed.';
  // The framework's own words quote bodies and URLs: neither may get into the log.
  return new AppError('BAD_REQUEST', { publicMessage });
}

/** Writes an error as an answer. */
export function errorReply(error: AppError): Reply {
  const wait = error.retryAfterSeconds ?? (error.code === 'SERVICE_UNAVAILABLE' ? 1 : undefined);
  return {
    status: HTTP_STATUS_BY_CODE[error.code],
    headers: {
      'Cache-Control': 'no-store',
      ...(wait !== undefined && { 'Retry-After': String(Math.max(1, Math.ceil(wait))) }),
      ...(error.code === 'UNAUTHORIZED' && { 'WWW-Authenticate': 'Bearer' }),
    },
    json: failure(error.code, error.publicMessage),
  };
}
