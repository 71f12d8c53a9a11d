import type { Envelope } from '@image-gateway/shared/contract';

/** Error response with its message for users; `NETWORK` without a response. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status: number) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
  }
}

/** Fills in the parameters of a path, such as `:id`, and appends a query without its undefined values. */
export function buildUrl(
  path: string,
  params: Readonly<Record<string, unknown>> = {},
  query: Readonly<Record<string, unknown>> = {},
): string {
  const filled = path.replace(/:(\w+)/g, (_all, name: string) => encodeURIComponent(String(params[name])));
  const fields = Object.entries(query).filter(([, value]) => value !== undefined);
  if (fields.length === 0) {
    return filled;
  }
  return `${filled}?${new URLSearchParams(fields.map(([name, value]) => [name, String(value)])).toString()}`;
}

/** Options of a request. */
export interface RequestOptions {
  /** Sent as JSON; makes it a POST. */
  readonly body?: unknown;
  /** Sent as it is, by its type; makes it a POST. */
  readonly file?: Blob;
  readonly method?: 'GET' | 'POST';
  readonly signal?: AbortSignal;
}

/** Longest wait for a response: nothing is shown as loading for ever. */
const TIMEOUT_MS = 60_000;

/** Says why there is no response. */
export function describeLoss(cause: unknown): string {
  if (!navigator.onLine) {
    return 'You are offline. Check your connection and try again.';
  }
  return cause instanceof DOMException && cause.name === 'TimeoutError'
    ? 'The gateway does not answer. Try again.'
    : 'The gateway is unreachable. Check your connection and try again.';
}

/** Sends a request to the dashboard's API and returns the payload; throws ApiError. Paths begin after `/dashboard/api`. */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const { body, file, signal } = options;
  const { method = body === undefined && file === undefined ? 'GET' : 'POST' } = options;
  const init: RequestInit = {
    method,
    signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(signal ? [signal] : [])]),
    ...(body !== undefined && {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
    ...(file && { headers: { 'Content-Type': file.type }, body: file }),
  };
  const response = await fetch(`/dashboard/api${path}`, init).catch((cause: unknown) => {
    if (signal?.aborted) {
      throw cause;
    }
    throw new ApiError('NETWORK', describeLoss(cause), 0);
  });
  const envelope = (await response.json().catch(() => null)) as Envelope<T> | null;
  if (envelope === null) {
    throw new ApiError('INTERNAL_ERROR', 'The response is not valid.', response.status);
  }
  if (envelope.error) {
    throw new ApiError(envelope.error.code, envelope.error.message, response.status);
  }
  return envelope.data;
}

/** Reads a file from the dashboard's API; null when there is none, or it cannot be reached. */
export async function requestBlob(path: string): Promise<Blob | null> {
  const response = await fetch(`/dashboard/api${path}`).catch(() => null);
  return response?.ok ? response.blob() : null;
}
