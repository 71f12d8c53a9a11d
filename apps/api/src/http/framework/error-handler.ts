import { failure, HTTP_STATUS_BY_CODE } from '@image-gateway/shared/contract';
import { AppError, toAppError } from '@image-gateway/shared/errors';
import type { Logger } from '@image-gateway/shared/logging';
import type { ErrorRequestHandler } from 'express';
import type { Reply } from './call.js';
import { getState } from './request-state.js';
import { sendReply } from './send-reply.js';

/** Format of the error responses below a path. */
export interface ErrorFormat {
  /** Such as `/v1/`. */
  readonly below: string;
  readonly createReply: (error: AppError) => Reply;
}

/**
 * Handles all errors: logs at the level of who must act, sends the envelope or another format, or cuts a response that has
 * already begun.
 */
export function errorHandler(formats: readonly ErrorFormat[] = []): ErrorRequestHandler {
  return (thrown: unknown, request, response, _next) => {
    if (isClientGone(thrown)) {
      response.destroy();
      return;
    }
    const error = toRequestError(thrown);
    logError(getState(request).logger, error);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    // Not the request target, which may be a whole URL.
    const { path } = request;
    const { createReply = createErrorReply } = formats.find(({ below }) => path.startsWith(below)) ?? {};
    sendReply(createReply(error), response, request.method === 'HEAD').catch((failed: unknown) => {
      getState(request).logger().warn('could not answer', { error: failed });
    });
  };
}

/** Logs an error at the level of who must act. */
export function logError(logger: () => Logger, error: AppError): void {
  if (error.code === 'INTERNAL_ERROR') {
    logger().error('request failed', { error });
  } else if (error.code === 'SERVICE_UNAVAILABLE' || error.code === 'UPSTREAM_ERROR') {
    logger().warn('request refused', { error: error.message });
  } else if (logger().isDebugEnabled()) {
    logger().debug('request refused', { code: error.code, error: error.message });
  }
}

/** Returns true when a stream ended because the client left; the log line of the request says so already. */
function isClientGone(thrown: unknown): boolean {
  return (thrown as { code?: unknown } | null)?.code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** Public messages for errors of the body parser, by their `type`. */
const MESSAGES: Readonly<Record<string, string>> = {
  'entity.parse.failed': 'The body is not valid JSON.',
  'entity.too.large': 'The body is too large.',
  'entity.empty': 'The body is empty; a JSON object is expected.',
  'encoding.unsupported': 'The Content-Encoding of the body is not supported.',
  'charset.unsupported': 'The character set of the body is not supported; use UTF-8.',
  'charset.invalid': 'The body is not valid UTF-8.',
  'request.aborted': 'The request was cut off.',
  'request.size.invalid': 'The Content-Length does not fit the body.',
};

/** Converts any thrown value into an AppError; client errors of the framework become `BAD_REQUEST`. */
function toRequestError(thrown: unknown): AppError {
  if (thrown instanceof AppError || !(thrown instanceof Error)) {
    return toAppError(thrown);
  }
  const { status, type } = thrown as { status?: unknown; type?: unknown };
  if (typeof status !== 'number' || status < 400 || status >= 500) {
    return toAppError(thrown);
  }
  const publicMessage = (typeof type === 'string' && MESSAGES[type]) || 'The request is malformed.';
  // Messages of the framework quote bodies and URLs: neither may get into the log.
  return new AppError('BAD_REQUEST', { publicMessage });
}

/** Returns the headers of the response of an error. */
export function getErrorHeaders({ code, retryAfterSeconds }: AppError): Record<string, string> {
  const wait = retryAfterSeconds ?? (code === 'SERVICE_UNAVAILABLE' ? 1 : undefined);
  return {
    'Cache-Control': 'no-store',
    ...(wait !== undefined && { 'Retry-After': String(Math.max(1, Math.ceil(wait))) }),
    ...(code === 'UNAUTHORIZED' && { 'WWW-Authenticate': 'Bearer realm="image-gateway"' }),
  };
}

/** Creates the response of an error. */
function createErrorReply(error: AppError): Reply {
  return {
    status: HTTP_STATUS_BY_CODE[error.code],
    headers: getErrorHeaders(error),
    json: failure(error.code, error.publicMessage, error.details),
  };
}
