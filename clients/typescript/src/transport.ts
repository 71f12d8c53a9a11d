import { ApiError, DeadlineError, type ErrorDetails, ImageGatewayError } from './errors.js';
import { hideSecrets } from './inputs.js';
import type { RefusalDetails } from './types.js';

/** Where requests go, and how. */
export interface TransportOptions {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
}

type Scalar = string | number | boolean | null | undefined;
/** Parameters of a query. An object becomes `name[key]=value`, absent values are left out. */
export type Query = Readonly<Record<string, Scalar | Readonly<Record<string, Scalar>>>>;

/** One request that is repeated until it is answered. */
export interface Call {
  readonly method: string;
  /** Below the base URL, or an absolute URL, which gets no key. */
  readonly path: string;
  readonly query?: Query;
  readonly json?: unknown;
  readonly body?: Blob | ArrayBuffer | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Moment of `now()` at which repeating ends. */
  readonly deadline: number;
  /** Time of one attempt in milliseconds. */
  readonly attemptMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Facts that errors carry beside the response. */
  readonly details?: ErrorDetails;
}

/** A response that was read to its end. */
export interface Answer<T> {
  readonly data: T;
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string | undefined;
}

const ATTEMPT_MS = 30_000;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;
/** Statuses of proxies whose gateway is away for a moment; repeated where the body is no envelope. */
const AWAY = new Set([502, 503, 504]);
const MOVED = new Set([301, 302, 303, 307, 308]);
/** Statuses after which a browser would send a submit as a plain read. */
const MADE_GET = new Set([301, 302, 303]);
const MAX_REDIRECTS = 5;
/** Causes of a failed `fetch` that no repetition fixes. */
const OWN_FAULTS = /^(?:bad port|unknown scheme|invalid_argument|redirect count exceeded)$/i;
const CERTIFICATE_FAULTS = /CERT|ALTNAME|^UNABLE_TO_|^ERR_SSL_/;

/** Request as `fetch` takes it. */
interface Prepared {
  readonly url: string;
  readonly init: RequestInit;
}

/** The gateway said that a request belongs elsewhere. */
class Moved extends Error {
  readonly url: string;
  constructor(url: string) {
    super('moved');
    this.url = url;
  }
}

/** An attempt that can be repeated safely. */
export class Unanswered extends Error {
  readonly details: ErrorDetails;
  readonly retryAfterMs: number;
  constructor(message: string, details: ErrorDetails, retryAfterMs = 0) {
    super(message, { cause: details.cause });
    this.details = details;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Milliseconds of a clock that is never set back. */
export function now(): number {
  return performance.now();
}

/** Returns the pause before a repetition: 0.25 s, doubled up to 5 s, less up to a half by chance. */
export function getPause(failures: number): number {
  const longest = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 10));
  return longest * (0.5 + Math.random() / 2);
}

/** Waits; rejects with the reason of the signal once it is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted) {
      abort();
    }
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Sends requests and repeats what is safe: connection errors, cut answers, 429 and 503, until the deadline. */
export class Transport {
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /** Sends a request and returns `data` of the envelope. */
  async send<T>(call: Call): Promise<Answer<T>> {
    return this.repeat(call, async (response) => {
      const data = response.status === 204 ? undefined : readData(await response.text(), response);
      return data as T;
    });
  }

  /** Sends a request until `read` has read its successful response to the end. */
  async repeat<T>(
    call: Call,
    read: (response: Response, keepAlive: () => void) => Promise<T>,
  ): Promise<Answer<T>> {
    const prepared = this.#prepare(call);
    let request = prepared;
    let redirects = 0;
    for (let failures = 0; ; ) {
      try {
        return await this.#attempt(call, request, read);
      } catch (error) {
        if (error instanceof Moved && redirects < MAX_REDIRECTS) {
          redirects += 1;
          request = { ...request, url: error.url };
          continue;
        }
        if (!(error instanceof Unanswered)) {
          throw error instanceof ApiError && failures > 0
            ? new ApiError(error.message, { ...error, cause: error.cause }, true)
            : error;
        }
        const pause = Math.max(getPause(failures), error.retryAfterMs + Math.random() * FIRST_PAUSE_MS);
        if (now() + pause >= call.deadline) {
          const details = { ...call.details, ...error.details, cause: error };
          throw new DeadlineError(
            `${call.method} ${hide(call.path)} got no answer in time: ${error.message}`,
            details,
          );
        }
        await sleep(pause, call.signal);
        failures += 1;
        request = prepared;
        redirects = 0;
      }
    }
  }

  /** Tells whether a path or URL leads to this gateway. */
  isAtGateway(path: string): boolean {
    return path.startsWith('/v1/') || path.startsWith(`${this.#options.baseUrl}/`);
  }

  #prepare({ method, path, query = {}, json, body, headers }: Call): Prepared {
    const { baseUrl, apiKey, headers: always } = this.#options;
    const isAbsolute = /^https?:/i.test(path);
    const url = new URL(isAbsolute ? path : `${baseUrl}${path}`);
    const parameters = Object.entries(query).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).map(([key, one]) => [`${name}[${key}]`, one] as const)
        : [[name, value] as const],
    );
    for (const [name, value] of parameters) {
      if (value !== undefined && value !== null) {
        url.searchParams.set(name, String(value));
      }
    }
    const isOwn = !isAbsolute || url.href.startsWith(`${baseUrl}/v1/`);
    const sent = createHeaders(isOwn ? always : {});
    if (isOwn && apiKey !== undefined) {
      sent.set('Authorization', `Bearer ${apiKey}`);
    }
    if (json !== undefined) {
      sent.set('Content-Type', 'application/json');
    }
    for (const [name, value] of Object.entries(headers ?? {})) {
      sent.set(name, value);
    }
    const payload = json === undefined ? body : JSON.stringify(json);
    return {
      url: url.href,
      init: {
        method,
        headers: sent,
        // Requests with the key go where they were sent, and as what they were; other images may be anywhere.
        redirect: isOwn ? 'manual' : 'follow',
        ...(payload !== undefined && { body: payload }),
      },
    };
  }

  async #attempt<T>(
    call: Call,
    { url, init }: Prepared,
    read: (response: Response, keepAlive: () => void) => Promise<T>,
  ): Promise<Answer<T>> {
    const { signal, attemptMs = ATTEMPT_MS } = call;
    signal?.throwIfAborted();
    const controller = new AbortController();
    const forward = () => controller.abort(signal?.reason);
    signal?.addEventListener('abort', forward, { once: true });
    const tooLong = () => controller.abort(new Error(`no answer within ${attemptMs} ms`));
    const startTimer = () => setTimeout(tooLong, Math.max(1, Math.min(attemptMs, call.deadline - now())));
    let timer = startTimer();
    const keepAlive = () => {
      clearTimeout(timer);
      timer = startTimer();
    };
    try {
      const response = await this.#options.fetch(url, { ...init, signal: controller.signal });
      const requestId = response.headers.get('x-request-id') ?? undefined;
      if (
        response.type === 'opaqueredirect' ||
        (MOVED.has(response.status) && response.headers.has('location'))
      ) {
        throw judgeRedirect(call, url, response);
      }
      if (!response.ok) {
        throw readError(await response.text(), response, call.details);
      }
      const { status, headers } = response;
      return { data: await read(response, keepAlive), status, headers, requestId };
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ApiError || error instanceof Unanswered || error instanceof Moved) {
        throw error;
      }
      const fault = findOwnFault(error);
      if (fault !== undefined) {
        throw new ImageGatewayError(`${call.method} ${hide(call.path)} was not sent: ${fault}`, {
          ...call.details,
          cause: error,
        });
      }
      const reason: unknown = controller.signal.aborted ? controller.signal.reason : error;
      throw new Unanswered(describe(reason), { cause: reason });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', forward);
      controller.abort();
    }
  }
}

/** Returns the error of a redirect: where the same request goes on at the same server, or why it does not. The key goes nowhere else. */
function judgeRedirect({ method, path, details }: Call, url: string, { status, headers }: Response): Error {
  const known = { ...details, status, requestId: headers.get('x-request-id') ?? undefined };
  const location = headers.get('location');
  if (location === null || !URL.canParse(location, url)) {
    // Pages are not told where it leads.
    return new ApiError(`${hide(url)} redirects: set baseUrl to the address that it leads to.`, known);
  }
  const target = new URL(location, url);
  const isKept = method === 'GET' || !MADE_GET.has(status);
  if (isKept && target.origin === new URL(url).origin) {
    return new Moved(target.href);
  }
  const whole = hide(target.href);
  const base = whole.endsWith(path) ? whole.slice(0, -path.length) : target.origin;
  return new ApiError(
    `${hide(url)} has moved to ${whole} (status ${status}): set baseUrl to ${base}.`,
    known,
  );
}

/** Returns a path or URL as errors may name it. */
function hide(path: string): string {
  return path.startsWith('/') ? path : hideSecrets(path);
}

/** Creates headers. Its error leaves out what the platform's own one names: their values can be secret. */
function createHeaders(given: Readonly<Record<string, string>>): Headers {
  try {
    return new Headers(given);
  } catch {
    throw new ImageGatewayError('A header of the option headers is not valid.');
  }
}

/** Says what is wrong on this side of the connection; undefined for what a repetition may fix. */
function findOwnFault(error: unknown): string | undefined {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) {
    return undefined;
  }
  const { code } = cause as { readonly code?: unknown };
  if (typeof code === 'string' && CERTIFICATE_FAULTS.test(code)) {
    return `the certificate of the server is not trusted (${code}). NODE_EXTRA_CA_CERTS names your own authority.`;
  }
  return OWN_FAULTS.test(cause.message) ? `${cause.message}.` : undefined;
}

/** Names the connection's own error where `fetch` says only that it failed. */
function describe(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const said = [error, cause].map((one) => (one instanceof Error ? one.message : '')).filter(Boolean);
  return said.length > 0 ? said.join(': ') : String(error);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // A text that was cut is no JSON; the caller decides what that means.
    return error instanceof SyntaxError ? undefined : null;
  }
}

function readData(text: string, response: Response): unknown {
  const body = parseJson(text);
  if (typeof body === 'object' && body !== null && 'data' in body) {
    return body.data;
  }
  const requestId = response.headers.get('x-request-id') ?? undefined;
  if (/json/i.test(response.headers.get('content-type') ?? '')) {
    throw new Unanswered('the answer was cut', { requestId });
  }
  throw new ApiError(
    `${hide(response.url)} answered with something else than the gateway's JSON: check baseUrl.`,
    {
      status: response.status,
      requestId,
    },
  );
}

interface ErrorBody {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly details?: unknown;
}

function readError(text: string, response: Response, known: ErrorDetails | undefined): Error {
  const { status, headers } = response;
  const requestId = headers.get('x-request-id') ?? undefined;
  const body = parseJson(text) as { error?: ErrorBody | null } | null | undefined;
  const { code, message, details: numbers } = body?.error ?? {};
  const details = {
    ...known,
    status,
    requestId,
    ...(typeof code === 'string' && { code }),
    ...(typeof numbers === 'object' && numbers !== null && { details: numbers as RefusalDetails }),
  };
  const said =
    typeof message === 'string' ? message : `The answer was ${status} ${response.statusText}`.trim();
  const isAway = AWAY.has(status) && (status === 503 || details.code === undefined);
  const isCut = body === undefined && /json/i.test(headers.get('content-type') ?? '');
  return status === 429 || isAway || isCut
    ? new Unanswered(said, details, readRetryAfter(headers.get('retry-after')))
    : new ApiError(said, details);
}

/** Reads seconds or a date (RFC 9110) as milliseconds from now. */
function readRetryAfter(value: string | null): number {
  if (value === null) {
    return 0;
  }
  const seconds = Number(value);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}
