import type { AppError } from '@image-gateway/shared/errors';
import type { Logger } from '@image-gateway/shared/logging';
import type { ErrorRequestHandler } from 'express';
import { errorReply, requestError } from './error-reply.js';
import { getState } from './request-state.js';
import { sendReply } from './send-reply.js';

/** The one exit for errors: logs by who must act, answers with the envelope, or cuts an answer that has already begun. */
export function errorHandler(): ErrorRequestHandler {
  return (thrown: unknown, request, response, _next) => {
    if (isClientGone(thrown)) {
      response.destroy();
      return;
    }
    const error = requestError(thrown);
    logError(getState(request).logger, error);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    sendReply(errorReply(error), response, request.method === 'HEAD').catch((failed: unknown) => {
      getState(request).logger().warn('could not answer', { error: failed });
    });
  };
}

function logError(logger: () => Logger, error: AppError): void {
  if (error.code === 'INTERNAL_ERROR') logger().error('request failed', { error });
  else if (error.code === 'SERVICE_UNAVAILABLE' || error.code === 'UPSTREAM_ERROR')
    logger().warn('request refused', { error: error.message });
  else if (logger().isDebugEnabled())
    logger().debug('request refused', { code: error.code, error: error.message });
}

/** Whether a stream ended because the reader left; the request's own log line says so already. */
function isClientGone(thrown: unknown): boolean {
  return (thrown as { code?: unknown } | null)?.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
