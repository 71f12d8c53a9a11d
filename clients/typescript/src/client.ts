import { ImageGatewayError } from './errors.js';
import { Files } from './files.js';
import { List } from './list.js';
import { type CallOptions, requireCompleted, Tasks, type WaitOptions } from './tasks.js';
import { type Answer, now, Transport } from './transport.js';
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

/** Client of a gateway. Every call is repeated until its deadline where that is safe, and a repetition never buys an image twice. */
export class ImageGateway {
  readonly tasks: Tasks;
  readonly files: Files;
  readonly webhooks: Webhooks;
  readonly #transport: Transport;
  readonly #submitMs: number;
  readonly #subscribeMs: number;

  constructor(options: ImageGatewayOptions = {}) {
    this.#submitMs = options.submitTimeoutMs ?? 60_000;
    this.#subscribeMs = options.subscribeTimeoutMs ?? 15 * 60_000;
    const send = options.fetch ?? globalThis.fetch;
    this.#transport = new Transport({
      baseUrl: readBaseUrl(options.baseUrl ?? readVariable('IMAGE_GATEWAY_URL')),
      apiKey: options.apiKey ?? readVariable('IMAGE_GATEWAY_KEY'),
      headers: options.headers ?? {},
      fetch: (url, init) => send(url, init),
    });
    this.tasks = new Tasks(this.#transport, { submit: this.#submitMs, subscribe: this.#subscribeMs });
    this.files = new Files(this.#transport, this.#submitMs);
    this.webhooks = new Webhooks(options.webhookSecret ?? readVariable('IMAGE_GATEWAY_WEBHOOK_SECRET'));
  }

  /** Submits a generation or an edit and returns the task as it was accepted. */
  async submit(request: GenerateRequest, options: SubmitOptions = {}): Promise<Task> {
    const deadline = now() + (options.timeoutMs ?? this.#submitMs);
    return (await this.#submitUntil(request, deadline, options)).data;
  }

  /** Submits, waits for the end and returns the completed task. Throws TaskFailedError where it failed. */
  async subscribe(
    request: GenerateRequest,
    options: SubmitOptions & WaitOptions = {},
  ): Promise<TaskCompleted> {
    const deadline = now() + (options.timeoutMs ?? this.#subscribeMs);
    const { data: accepted, requestId } = await this.#submitUntil(request, deadline, options);
    options.onTask?.(accepted);
    if (accepted.status !== 'pending') {
      return requireCompleted(accepted, requestId);
    }
    const ended = await this.tasks.waitUntil(accepted.id, deadline, options, accepted);
    return requireCompleted(ended.task, ended.requestId);
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

  #submitUntil(json: GenerateRequest, deadline: number, options: SubmitOptions): Promise<Answer<Task>> {
    const idempotencyKey = options.idempotencyKey ?? makeKey();
    return this.#transport.send<Task>({
      method: 'POST',
      path: '/v1/generate',
      json,
      headers: { 'Idempotency-Key': idempotencyKey },
      deadline,
      signal: options.signal,
      details: { idempotencyKey },
    });
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

function readVariable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name] || undefined;
}

function readBaseUrl(given: string | undefined): string {
  const { location } = globalThis as { location?: { href: string } };
  if (given === undefined) {
    throw new ImageGatewayError('Give the address of the gateway: baseUrl, or IMAGE_GATEWAY_URL.');
  }
  if (!URL.canParse(given, location?.href)) {
    throw new ImageGatewayError(`baseUrl is no URL: ${given}`);
  }
  return new URL(given, location?.href).href.replace(/\/+$/, '');
}
