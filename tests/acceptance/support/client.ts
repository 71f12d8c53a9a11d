import type http from 'node:http';
import { callHttp } from '../../faults/load/http-client.js';
import { checkAnswer } from './check-answer.js';
import { eventually } from './eventually.js';
import type { OpenApi } from './openapi.js';
import type { Envelope, Page, Task, UsageRecord, UsageSummaryEntry } from './servers/wire.js';

/** One answer of the API that kept every general promise. */
export interface Answer<T = unknown> {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
  envelope: Envelope<T>;
  /** The payload; throws when the answer is an error. */
  data: T;
}

/** Request to send: `json` is serialised, `body` is sent as it is; `key: null` omits the Authorization header. */
export interface Call {
  key?: string | null;
  headers?: http.OutgoingHttpHeaders;
  json?: unknown;
  body?: string | Buffer;
  timeoutMs?: number;
}

/** A caller of the public API with one key. */
export type Client = ReturnType<typeof createClient>;

interface Caller {
  url: string;
  key: string | null;
  headers?: http.OutgoingHttpHeaders;
  openapi?: OpenApi;
}

/** Makes a client; every answer it gets is held against the envelope, the error table and the OpenAPI document. */
export function createClient({ url, key: ownKey, headers: always, openapi }: Caller) {
  const call = async <T = unknown>(
    method: string,
    target: string,
    options: Call = {},
  ): Promise<Answer<T>> => {
    const { key = ownKey, json, timeoutMs = 30_000 } = options;
    const body = json === undefined ? options.body : JSON.stringify(json);
    const headers = {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...always,
      ...options.headers,
    };
    const answer = await callHttp({ url, method, target, headers, body, timeoutMs });
    const text = answer.body.toString();
    const envelope = checkAnswer({ method, target, ...answer, text }, openapi) as Envelope<T>;
    return {
      ...answer,
      envelope,
      get data() {
        if (envelope.data === null) {
          throw new Error(`${method} ${target} → ${answer.status} ${text}`);
        }
        return envelope.data;
      },
    };
  };
  const get = async <T>(target: string) => (await call<T>('GET', target)).data;
  const generate = (fields: Record<string, unknown>, headers?: http.OutgoingHttpHeaders) =>
    call<Task>('POST', '/v1/generate', {
      json: { model: 'nanobanana', ...fields },
      ...(headers ? { headers } : {}),
    });
  const task = (id: string) => get<Task>(`/v1/tasks/${id}`);
  /** Polls until the task is completed or failed. */
  const finished = (id: string, withinMs?: number) =>
    eventually(
      async () => {
        const seen = await task(id);
        if (seen.status === 'pending') {
          throw new Error(`${id} is still pending`);
        }
        return seen;
      },
      { withinMs, everyMs: 100 },
    );
  return {
    call,
    generate,
    task,
    finished,
    /** Generates, expects 202, and gives the finished Task. */
    run: async (fields: Record<string, unknown>, withinMs?: number) =>
      finished((await generate(fields)).data.id, withinMs),
    tasks: (query = '') => get<Page<Task>>(`/v1/tasks${query}`),
    usage: (query = '') => get<Page<UsageRecord>>(`/v1/usage${query}`),
    summary: (query = '') => get<UsageSummaryEntry[]>(`/v1/usage/summary${query}`),
  };
}
