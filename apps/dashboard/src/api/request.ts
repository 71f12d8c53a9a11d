import type { Envelope } from '@image-gateway/shared/contract';
import { ApiError } from './api-error.js';

/** What is asked beside the path. */
export interface RequestOptions {
  /** Sent as JSON; makes it a POST. */
  readonly body?: unknown;
  readonly method?: 'GET' | 'POST';
  readonly signal?: AbortSignal;
}

/** Asks the dashboard's API and gives the payload; throws ApiError. Paths begin after `/dashboard/api`. */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const { body, method = body === undefined ? 'GET' : 'POST', signal } = options;
  const init: RequestInit = {
    method,
    ...(signal && { signal }),
    ...(body !== undefined && {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
  };
  const response = await fetch(`/dashboard/api${path}`, init).catch((cause: unknown) => {
    if (signal?.aborted) throw cause;
    throw new ApiError('NETWORK', 'The gateway does not answer. Check your connection and try again.', 0);
  });
  const envelope = (await response.json().catch(() => null)) as Envelope<T> | null;
  if (envelope === null) throw new ApiError('INTERNAL_ERROR', 'The answer cannot be read.', response.status);
  if (envelope.error) throw new ApiError(envelope.error.code, envelope.error.message, response.status);
  return envelope.data;
}
