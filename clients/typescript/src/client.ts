import { ApiError } from './errors.js';
import { Files } from './files.js';
import { readBaseUrl, readKey, readVariable } from './inputs.js';
import { List } from './list.js';
import { chooseRatio, HEAD_BYTES, measure, readHead, type Size } from './shape.js';
import { type CallOptions, requireCompleted, Tasks, type WaitOptions } from './tasks.js';
import { type Answer, type Call, now, Transport } from './transport.js';
import type {
  Account,
  GenerateRequest,
  Model,
  Page,
  Quote,
  Task,
  TaskCompleted,
  UsageQuery,
  UsageRecord,
  UsageSummaryEntry,
  UsageSummaryQuery,
} from './types.js';
import { Webhooks } from './webhooks.js';

/** Options of a client. */
export interface ImageGatewayOptions {
  /** Address of the gateway, such as `https://images.example.com`. Default: `IMAGE_GATEWAY_URL`. */
  readonly baseUrl?: string | undefined;
  /** Default: `IMAGE_GATEWAY_KEY`. Pages need none: they ask your own server, which adds it. */
  readonly apiKey?: string | undefined;
  /** Secret of webhooks (`whsec_…`). Default: `IMAGE_GATEWAY_WEBHOOK_SECRET`. */
  readonly webhookSecret?: string | undefined;
  /** Milliseconds that a submit, and every call but `subscribe`, `wait` and `events`, may take. Default: 60,000. */
  readonly submitTimeoutMs?: number | undefined;
  /** Milliseconds that `subscribe`, `wait` and `events` may take. Default: 900,000. */
  readonly subscribeTimeoutMs?: number | undefined;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sends requests. Default: the `fetch` of the platform. */
  readonly fetch?: typeof fetch | undefined;
}

/** Options of a submit. */
export interface SubmitOptions extends CallOptions {
  /** Made for every submit; give your own where a repetition by a later run of your program must not buy again. */
  readonly idempotencyKey?: string | undefined;
}

/** Facts about a submit beside its task. */
export interface Submitted {
  /** Fields of the request that the gateway does not know, such as `n`; absent where there are none. */
  readonly ignored?: readonly string[];
}

/** Client of a gateway. Every call is repeated until its deadline where that is safe, and a repetition never buys an image twice. */
export class ImageGateway {
  readonly tasks: Tasks;
  readonly files: Files;
  readonly webhooks: Webhooks;
  readonly #transport: Transport;
  readonly #submitMs: number;
  readonly #subscribeMs: number;
  /** Ratios of the models on offer, by id. */
  #ratios: ReadonlyMap<string, readonly string[]> = new Map();

  constructor(options: ImageGatewayOptions = {}) {
    this.#submitMs = options.submitTimeoutMs ?? 60_000;
    this.#subscribeMs = options.subscribeTimeoutMs ?? 15 * 60_000;
    const send = options.fetch ?? globalThis.fetch;
    this.#transport = new Transport({
      baseUrl: readBaseUrl(options.baseUrl),
      apiKey: readKey(options.apiKey),
      headers: options.headers ?? {},
      fetch: (url, init) => send(url, init),
    });
    this.tasks = new Tasks(this.#transport, { submit: this.#submitMs, subscribe: this.#subscribeMs });
    this.files = new Files(this.#transport, this.#submitMs);
    this.webhooks = new Webhooks(options.webhookSecret ?? readVariable('IMAGE_GATEWAY_WEBHOOK_SECRET'));
  }

  /**
   * Submits a generation or an edit and returns the task as it was accepted. An edit without `aspect_ratio` gets the one of the
   * model that is nearest to its first image.
   */
  async submit(request: GenerateRequest, options: SubmitOptions = {}): Promise<Task & Submitted> {
    const deadline = now() + (options.timeoutMs ?? this.#submitMs);
    return (await this.#submitUntil(request, deadline, options)).data;
  }

  /** Submits, waits for the end and returns the completed task. Throws TaskFailedError where it failed. */
  async subscribe(
    request: GenerateRequest,
    options: SubmitOptions & WaitOptions = {},
  ): Promise<TaskCompleted & Submitted> {
    const deadline = now() + (options.timeoutMs ?? this.#subscribeMs);
    const { data: accepted, requestId } = await this.#submitUntil(request, deadline, options);
    options.onTask?.(accepted);
    if (accepted.status !== 'pending') {
      return requireCompleted(accepted, requestId);
    }
    const ended = await this.tasks.waitUntil(accepted.id, deadline, options, accepted);
    const task = requireCompleted(ended.task, ended.requestId);
    return accepted.ignored ? { ...task, ignored: accepted.ignored } : task;
  }

  /** Prices a request without submitting it. */
  async quote(request: GenerateRequest, options: CallOptions = {}): Promise<Quote> {
    return this.#send<Quote>({ method: 'POST', path: '/v1/quote', json: request }, options);
  }

  /** Lists the models on offer with their prices. */
  async models(options: CallOptions = {}): Promise<Model[]> {
    return this.#send<Model[]>({ method: 'GET', path: '/v1/models' }, options);
  }

  /** Reads the balance and the limits of the key. */
  async account(options: CallOptions = {}): Promise<Account> {
    return this.#send<Account>({ method: 'GET', path: '/v1/account' }, options);
  }

  /** Lists usage records, newest first, page by page while it is iterated. */
  usage(query: UsageQuery = {}, options: CallOptions = {}): List<UsageRecord> {
    return new List(async (page, before) => {
      const filters = { ...query, page, to: query.to ?? before };
      return this.#send<Page<UsageRecord>>({ method: 'GET', path: '/v1/usage', query: filters }, options);
    });
  }

  /** Sums up usage, by model unless `group_by` says otherwise. */
  async usageSummary(query: UsageSummaryQuery = {}, options: CallOptions = {}): Promise<UsageSummaryEntry[]> {
    return this.#send<UsageSummaryEntry[]>({ method: 'GET', path: '/v1/usage/summary', query }, options);
  }

  async #submitUntil(
    request: GenerateRequest,
    deadline: number,
    options: SubmitOptions,
  ): Promise<Answer<Task & Submitted>> {
    const idempotencyKey = options.idempotencyKey ?? makeKey();
    const { signal } = options;
    const answer = await this.#transport.send<Task>({
      method: 'POST',
      path: '/v1/generate',
      json: await this.#keepShape(request, { deadline, signal }),
      headers: { 'Idempotency-Key': idempotencyKey },
      deadline,
      signal,
      details: { idempotencyKey },
    });
    const ignored = answer.headers.get('x-gateway-ignored')?.split(', ');
    if (!ignored) {
      return answer;
    }
    warnOnce(`The gateway does not know these fields, and ignored them: ${ignored.join(', ')}.`);
    return { ...answer, data: { ...answer.data, ignored } };
  }

  /** Adds the ratio that is nearest to the first image of an edit, unless the request has one. */
  async #keepShape(
    request: GenerateRequest,
    limit: Pick<Call, 'deadline' | 'signal'>,
  ): Promise<GenerateRequest> {
    const { model, aspect_ratio: given, image_urls: urls } = request;
    const first: unknown = Array.isArray(urls) ? urls[0] : undefined;
    if ((given ?? undefined) !== undefined || typeof first !== 'string') {
      return request;
    }
    const size = await this.#measure(first, limit);
    if (!size) {
      return request;
    }
    if (!this.#ratios.has(model)) {
      const { data } = await this.#transport.send<Model[]>({ method: 'GET', path: '/v1/models', ...limit });
      this.#ratios = new Map(data.map(({ id, aspect_ratios: ratios }) => [id, ratios]));
    }
    const ratios = this.#ratios.get(model) ?? [];
    const ratio = chooseRatio(ratios, size);
    if (ratio === undefined && ratios.length > 0) {
      warnOnce(
        `The first image is as near to each of ${ratios.join(', ')}: the result has the default shape of the model. ` +
          'aspect_ratio chooses one.',
      );
    }
    return ratio === undefined
      ? request
      : { ...request, aspect_ratio: ratio as NonNullable<GenerateRequest['aspect_ratio']> };
  }

  /** Finds the size of an image that is in the request or at the gateway; that of others stays unknown. */
  async #measure(url: string, limit: Pick<Call, 'deadline' | 'signal'>): Promise<Size | undefined> {
    if (url.startsWith('data:')) {
      return measure(readHead(url));
    }
    const path = url.startsWith('file_') ? `/v1/files/${encodeURIComponent(url)}` : url;
    if (!this.#transport.isAtGateway(path)) {
      return undefined;
    }
    const call = { method: 'GET', path, headers: { Range: `bytes=0-${HEAD_BYTES - 1}` }, ...limit };
    try {
      return measure((await this.#transport.repeat(call, readStart)).data);
    } catch (error) {
      if (error instanceof ApiError) {
        return undefined; // The submit says what is wrong with the image.
      }
      throw error;
    }
  }

  async #send<T>(
    call: Pick<Parameters<Transport['send']>[0], 'method' | 'path' | 'query' | 'json'>,
    { timeoutMs = this.#submitMs, signal }: CallOptions,
  ): Promise<T> {
    return (await this.#transport.send<T>({ ...call, deadline: now() + timeoutMs, signal })).data;
  }
}

/** Makes a key of 128 random bits; `randomUUID` exists on secure pages only. */
function makeKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const warned = new Set<string>();

/** Warns on the console, once in a process for each text. */
function warnOnce(text: string): void {
  if (!warned.has(text)) {
    warned.add(text);
    console.warn(`image-gateway: ${text}`);
  }
}

/** Reads the beginning of a response; the rest is left where it is. */
async function readStart(response: Response): Promise<Uint8Array> {
  const head = new Uint8Array(HEAD_BYTES);
  let bytes = 0;
  const reader = response.body?.getReader();
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
    const part = chunk.value.subarray(0, HEAD_BYTES - bytes);
    head.set(part, bytes);
    bytes += part.length;
    if (bytes === HEAD_BYTES) {
      break;
    }
  }
  return head.subarray(0, bytes);
}
