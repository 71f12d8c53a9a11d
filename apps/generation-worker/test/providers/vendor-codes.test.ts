import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { resolveTaskApi, TASK_PRESET_NAMES, UPSTREAMS } from '@image-gateway/shared/upstreams';
import { describe, expect, test } from '@jest/globals';
import * as bfl from '../../src/providers/bfl/parse-response.js';
import * as comfyui from '../../src/providers/comfyui/to-provider-error.js';
import * as dashscope from '../../src/providers/dashscope/parse-response.js';
import { ProviderError } from '../../src/providers/failures.js';
import { toProviderError as toFalError } from '../../src/providers/fal/to-provider-error.js';
import type { JobProgress } from '../../src/providers/follow-job.js';
import { toProviderError as toGeminiError } from '../../src/providers/gemini/to-provider-error.js';
import type { UpstreamResponse } from '../../src/providers/http/create-upstream.js';
import { decodeJson } from '../../src/providers/http/json-decoder.js';
import { parseResponse as parseOpenaiImages } from '../../src/providers/openai/parse-response.js';
import { toProviderError as toOpenaiError } from '../../src/providers/openai/to-provider-error.js';
import { toProviderError as toOpenrouterError } from '../../src/providers/openrouter/to-provider-error.js';
import * as replicate from '../../src/providers/replicate/to-provider-error.js';
import { toProviderError as toSdapiError } from '../../src/providers/sdapi/parse-response.js';
import { parsePoll, parseSubmission } from '../../src/providers/task/parse-response.js';

type TaskPreset = (typeof TASK_PRESET_NAMES)[number];

/** A code of a vendor's documents, and the class that its words mean. */
interface Row {
  /** Where the vendor says it: in an answer that is no success, in a job or its poll, or in place of an image. */
  readonly at: 'answer' | 'job' | 'poll' | 'image';
  readonly status?: number;
  readonly code: string | number;
  readonly type?: string;
  readonly words: string;
  /** Field that the answer names in a field of its own. */
  readonly param?: string;
  readonly state?: string;
  readonly reason?: string;
  readonly form?: 'detail' | 'coded';
  readonly class: string;
  /** Field that is left out of the next request. */
  readonly field?: string;
  readonly retryAfterMs?: number;
}

interface Vendor {
  readonly vendor: string;
  readonly source: string;
  readonly read: string;
  readonly rows: readonly Row[];
}

const FOLDER = fileURLToPath(new URL('./codes/', import.meta.url));
const vendors = readdirSync(FOLDER).map(
  (name) => JSON.parse(readFileSync(`${FOLDER}${name}`, 'utf8')) as Vendor,
);
const KEY = null;
const answer = (status: number, body: unknown): UpstreamResponse =>
  ({
    status,
    headers: {},
    json: decodeJson(Buffer.from(JSON.stringify(body))),
  }) as UpstreamResponse;
const catchError = (action: () => unknown): ProviderError => {
  try {
    const result = action();
    const progress = result as JobProgress<unknown>;
    if (progress.kind === 'failed') {
      return progress.error;
    }
  } catch (error) {
    if (error instanceof ProviderError) {
      return error;
    }
    throw error;
  }
  throw new Error('no error');
};

/** Answers of a task API as its documents frame them. */
const TASK_BODIES: Readonly<Record<TaskPreset, (row: Row) => unknown>> = {
  apimart: ({ at, code, words, state = 'failed', status }) =>
    at === 'job'
      ? { code: 200, data: { id: 'j', status: state, error: words === '' ? null : { code, message: words } } }
      : { error: { code: status, message: words, type: code } },
  evolink: ({ at, code, words }) =>
    at === 'job'
      ? { id: 'j', status: 'failed', error: { code, message: words, type: 'task_error' } }
      : { error: { code, message: words, type: 'api_error' } },
  kie: ({ at, code, words }) =>
    at === 'job'
      ? {
          code: 200,
          msg: 'success',
          data: { taskId: 'j', state: 'fail', failCode: String(code), failMsg: words },
        }
      : { code, msg: words, data: null },
  sub2api: ({ at, code, words }) =>
    at === 'job'
      ? { id: 'j', task_id: 'j', status: 'failed', http_status: 502, error: { type: code, message: words } }
      : { error: { type: code, message: words } },
  'image-gateway': ({ at, code, words }) =>
    at === 'job'
      ? { data: { id: 'j', status: 'failed', cost: '$0.00', error: words }, error: null }
      : { data: null, error: { code, message: words } },
};
/** A vendor that says its errors in the body says so with a good status. */
const GOOD = 200;

function readTask(preset: TaskPreset, row: Row): ProviderError {
  const api = resolveTaskApi({ preset });
  if (api === null) {
    throw new Error('no such preset');
  }
  const { at, status = GOOD } = row;
  const response = answer(preset === 'kie' ? GOOD : status, TASK_BODIES[preset](row));
  return catchError(() =>
    at === 'answer' ? parseSubmission(api, response, KEY) : parsePoll(api, response, { id: 'j', key: KEY }),
  );
}

function readOpenai({ at, status = GOOD, type = '', code, words, param = '' }: Row): ProviderError {
  if (at === 'image') {
    const data = [{ error: { code, message: words } }];
    const { errors } = parseOpenaiImages({ data }, { key: KEY, baseUrl: 'https://x' });
    return errors?.[0] ?? catchError(() => undefined);
  }
  return toOpenaiError(answer(status, { error: { code, type, message: words, param } }), KEY);
}

const readGoogle = ({ status = GOOD, code, words, reason }: Row): ProviderError => {
  const details =
    reason === undefined ? [] : [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason }];
  return toGeminiError(
    answer(status, { error: { code: status, message: words, status: code, details } }),
    KEY,
  );
};

function readBfl({ at, status = GOOD, form, state, code, words, param, retryAfterMs }: Row): ProviderError {
  if (at === 'job') {
    const more = code === '' ? {} : { error: code, message: words };
    return catchError(() =>
      bfl.parsePoll(answer(GOOD, { id: 'j', status: state, result: null, ...more }), {
        job: { id: 'j', handle: null },
        key: KEY,
      }),
    );
  }
  const pause = retryAfterMs === undefined ? {} : { retry_after: retryAfterMs / 1_000 };
  const details = param === undefined ? {} : { details: { [param]: words } };
  const detail = param === undefined ? words : [{ loc: ['body', param], msg: words, type: 'value_error' }];
  const body = form === 'detail' ? { detail } : { error: code, message: words, ...details, ...pause };
  return bfl.toProviderError(answer(status, body), KEY);
}

const READERS: Readonly<Record<string, (row: Row) => ProviderError>> = {
  ...Object.fromEntries(TASK_PRESET_NAMES.map((name) => [name, (row: Row) => readTask(name, row)])),
  ...Object.fromEntries(
    ['openai', 'azure-openai', 'modelark', 'zhipu', 'xai'].map((name) => [name, readOpenai]),
  ),
  gemini: readGoogle,
  vertex: readGoogle,
  bfl: readBfl,
  dashscope: ({ status = GOOD, code, words }) =>
    dashscope.toProviderError(answer(status, { request_id: 'r', code, message: words }), KEY),
  fal: ({ status = GOOD, code, words }) => {
    const detail = code === '' ? words : [{ loc: ['body', 'image_urls', 0], msg: words, type: code }];
    return toFalError({ status, headers: {}, value: { detail } });
  },
  replicate: ({ at, status = GOOD, code, words }) =>
    at === 'job'
      ? replicate.toPredictionError(words, 'p')
      : replicate.toProviderError(
          { status, headers: {}, value: { title: code, detail: words } },
          'prediction',
        ),
  openrouter: ({ status = GOOD, code, words }) => {
    const metadata = code === '' ? {} : { metadata: { error_type: code } };
    return toOpenrouterError(answer(status, { error: { code: status, message: words, ...metadata } }), KEY);
  },
  sdapi: ({ status = GOOD, code, words }) =>
    toSdapiError(answer(status, { error: code, detail: words, body: '', errors: '' }), KEY),
  comfyui: ({ at, status = GOOD, code, words }) => {
    const event = { exception_type: code, exception_message: words, node_type: 'KSampler' };
    const response = answer(status, { error: { type: code, message: words, details: '' }, node_errors: {} });
    return at === 'job'
      ? comfyui.toRunError([['execution_error', event]], 'p')
      : comfyui.toProviderError({ response, call: 'submission', key: KEY });
  },
};

const cases = vendors.flatMap(({ vendor, rows }) =>
  rows.map((row) => [vendor, row.at, row.status ?? row.state ?? '', row.code, row.words, row] as const),
);

describe('a code of a vendor’s documents', () => {
  test.each(cases)(
    'a code of a vendor’s documents means what the vendor says: %s, %s %s %s “%s”',
    (vendor, _at, _status, _code, _words, row) => {
      const error = READERS[vendor]?.(row);
      expect({
        class: error?.failure,
        ...(row.field !== undefined && { field: error?.field?.name }),
        ...(row.retryAfterMs !== undefined && { retryAfterMs: error?.retryAfterMs }),
      }).toEqual({
        class: row.class,
        ...(row.field !== undefined && { field: row.field }),
        ...(row.retryAfterMs !== undefined && { retryAfterMs: row.retryAfterMs }),
      });
    },
  );

  test('every preset and every protocol has its list, with its source and the day on which it was read', () => {
    const protocols = Object.keys(UPSTREAMS).filter((name) => name !== 'task');
    const listed = vendors.map(({ vendor }) => vendor);
    expect(listed).toEqual(expect.arrayContaining([...TASK_PRESET_NAMES, ...protocols]));
    for (const { source, read, rows } of vendors) {
      expect([source.length > 10, /^\d{4}-\d{2}-\d{2}$/.test(read), rows.length > 0]).toEqual([
        true,
        true,
        true,
      ]);
    }
  });

  test.each(TASK_PRESET_NAMES)('each code of the preset %s stands in the list of its vendor', (preset) => {
    const { codes = {} } = resolveTaskApi({ preset }) ?? {};
    const rows = vendors.find(({ vendor }) => vendor === preset)?.rows ?? [];
    const said = rows.map(({ code, words }) => `${code} ${words}`.toLowerCase());
    const unlisted = Object.values(codes)
      .flat()
      .filter((code) => !said.some((text) => text.includes(code.toLowerCase())));
    expect(unlisted).toEqual([]);
  });
});
