import { eventually, type TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi } from '../support/start-api.js';
import { startWorker, type TestWorker } from './support/start-worker.js';

// Requests that published clients of other gateways send, and what they read of the answers. Each needs another thing.

let api: TestApi;
let worker: TestWorker;
beforeAll(async () => {
  api = await startApi();
  await api.store.ensureBucket();
  worker = startWorker(api);
});
afterAll(async () => {
  await worker.stop();
  await api.test.checkInvariants();
  await api.stop();
});

type Json = Readonly<Record<string, unknown>>;
const asObject = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
const asText = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
const listUrls = (data: unknown): string[] =>
  (Array.isArray(data) ? data : []).map((item) => asText(asObject(item).url)).filter((url) => url !== '');

interface Response_ {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Json;
}
async function ask(as: TestAccount, url: string, init: RequestInit = {}): Promise<Response_> {
  const headers = { authorization: `Bearer ${as.apiKey}`, ...init.headers };
  const response = await fetch(url, { ...init, headers });
  return { status: response.status, headers: response.headers, json: (await response.json()) as Json };
}
const postJson = (as: TestAccount, url: string, body: object, headers = {}): Promise<Response_> =>
  ask(as, url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
const IMAGE = new Blob([new Uint8Array(Buffer.from('an image'))], { type: 'image/png' });
function makeForm(fields: Readonly<Record<string, string>>, imageField: string): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    form.append(name, value);
  }
  form.append(imageField, IMAGE, 'image-1.png');
  return form;
}
/** Fetches a result as clients do: some send their key there too. */
async function download(url: string, headers = {}): Promise<string> {
  const response = await fetch(url.replace('http://gateway.test', api.url), { headers });
  expect(response.status).toBe(200);
  return response.headers.get('content-type') ?? '';
}

describe('gpt-image-2-skill, which speaks the asynchronous dialect of sub2api', () => {
  const apiBase = (): string => `${api.url}/openai/v1`;
  const HEADERS = { accept: 'application/json', 'x-client-request-id': 'client-1' };
  const PENDING = ['pending', 'queued', 'processing', 'in_progress', 'running'];

  /** Its poll address is that of the answer, joined to its base and of the same origin; it waits for `Retry-After`. */
  function readReceipt({ status, headers, json }: Response_): string {
    expect([status, PENDING.includes(asText(json.status))]).toEqual([202, true]);
    expect(asText(json.task_id)).toMatch(/^gen_/);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    const url = new URL(asText(json.poll_url), `${apiBase()}/`);
    expect(url.origin).toBe(new URL(apiBase()).origin);
    return url.href;
  }
  const poll = (as: TestAccount, url: string): Promise<Json> =>
    eventually(async () => {
      const { status, json } = await ask(as, url, { headers: HEADERS });
      expect([status, PENDING.includes(asText(json.status))]).toEqual([200, false]);
      return json;
    });

  test('an image: submitted, polled, and read from the result of the synchronous answer', async () => {
    const account = await api.account();
    const body = {
      model: 'gpt-image-2',
      prompt: 'a red fox',
      background: 'auto',
      n: 2,
      moderation: 'auto',
      quality: 'high',
      output_format: 'png',
      size: '1536x1024',
    };
    const url = readReceipt(await postJson(account, `${apiBase()}/images/generations/async`, body, HEADERS));
    const task = await poll(account, url);
    expect(task.status).toBe('completed');
    const urls = listUrls(asObject(task.result).data);
    expect(urls).toHaveLength(2);
    expect(await Promise.all(urls.map((one) => download(one)))).toEqual(['image/png', 'image/png']);
  });

  test('an edit: a form with image[] and fields as texts', async () => {
    const account = await api.account();
    const form = makeForm({ model: 'gpt-image-2', prompt: 'at night', n: '1', size: 'auto' }, 'image[]');
    const url = readReceipt(
      await ask(account, `${apiBase()}/images/edits/async`, { method: 'POST', headers: HEADERS, body: form }),
    );
    expect(await poll(account, url)).toMatchObject({ status: 'completed' });
  });

  test('a failure: the status failed with an error', async () => {
    const account = await api.account();
    const body = { model: 'gpt-image-2', prompt: 'fail moderation' };
    const url = readReceipt(await postJson(account, `${apiBase()}/images/generations/async`, body, HEADERS));
    const task = await poll(account, url);
    expect([task.status, asText(asObject(task.error).message)]).toEqual([
      'failed',
      expect.stringMatching(/./),
    ]);
  });
});

describe('bragi-canvas, which speaks the task dialect of new-api', () => {
  const base = (): string => `${api.url}/openai`;
  const DONE = ['SUCCESS', 'SUCCEEDED', 'COMPLETED'];
  const FAILED = ['FAILURE', 'FAILED', 'ERROR', 'CANCELLED', 'CANCELED'];
  /** Its status stands in `data` where that is an object, else beside it; the image is the first of the list `data`. */
  const read = (json: Json): { status: string; source: string; reason: string } => {
    const body = Object.keys(asObject(json.data)).length > 0 ? asObject(json.data) : json;
    const reason = asText(body.error) || asText(asObject(body.error).message);
    return { status: asText(body.status).toUpperCase(), source: listUrls(json.data)[0] ?? '', reason };
  };
  /** It falls back to the route that waits when the answer is 404 or 405. */
  async function submit(as: TestAccount, body: object): Promise<string> {
    const { status, json } = await postJson(as, `${base()}/v1/images/tasks`, body);
    expect([status, read(json).source]).toEqual([202, '']);
    return asText(json.id) || asText(json.task_id);
  }
  const poll = (as: TestAccount, id: string): Promise<ReturnType<typeof read>> =>
    eventually(async () => {
      const { status, json } = await ask(as, `${base()}/v1/images/tasks/${encodeURIComponent(id)}`);
      const seen = read(json);
      expect([status, [...DONE, ...FAILED].includes(seen.status)]).toEqual([200, true]);
      return seen;
    });
  const pending = (id: string) => worker.seen.find((task) => task.id === id);

  test('an image: a ratio as size, polled at the same path', async () => {
    const account = await api.account();
    const body = { model: 'gpt-image-2', prompt: 'a red fox', n: 1, size: '9:16', resolution: '2k' };
    const id = await submit(account, body);
    const { status, source } = await poll(account, id);
    expect(DONE).toContain(status);
    expect(await download(source)).toBe('image/png');
    expect(pending(id)).toMatchObject({ ratio: '9:16', resolution: '2k', inputs: [] });
  });

  test('an edit: references in two fields are given once', async () => {
    const account = await api.account();
    const urls = Array.from({ length: 5 }, (_, index) => `https://relay.example/${index}.png`);
    const body = { model: 'gpt-image-2', prompt: 'at night', n: 1, size: '1:1', resolution: '1k' };
    const id = await submit(account, { ...body, image: urls, image_urls: urls });
    expect(DONE).toContain((await poll(account, id)).status);
    expect(pending(id)?.inputs).toEqual(urls);
  });

  test('a failure: the reason of the error', async () => {
    const account = await api.account();
    const id = await submit(account, { model: 'gpt-image-2', prompt: 'fail moderation', n: 1, size: '1:1' });
    const { status, reason } = await poll(account, id);
    expect([FAILED.includes(status), reason]).toEqual([true, expect.stringMatching(/moderation/)]);
  });
});

describe('dsh-imagegen, which polls only where the answer names a task', () => {
  const url = (path: string): string => `${api.url}/openai/v1${path}`;
  /** An entry with `task_id` would send it to `/tasks/{id}`; else each has `b64_json` or `url`. */
  const readImages = ({ status, json }: Response_): string[] => {
    expect(status).toBe(200);
    const entries = (Array.isArray(json.data) ? json.data : [json.data]).map(asObject);
    expect(entries.filter((entry) => asText(entry.task_id) !== '')).toEqual([]);
    return entries.map((entry) => asText(entry.b64_json) || asText(entry.url));
  };

  test.each([
    [
      'nano banana',
      { model: 'nanobanana', aspect_ratio: '16:9', image_size: '1K', response_format: 'b64_json' },
    ],
    ['gpt-image-2', { model: 'gpt-image-2', size: '1792x1024', quality: 'medium', detail: 'high' }],
  ])('an image of %s comes in the answer', async (_, fields) => {
    const account = await api.account();
    const answer = await postJson(account, url('/images/generations'), { prompt: 'a red fox', ...fields });
    expect(readImages(answer)).toEqual([expect.stringMatching(/^[A-Za-z0-9+/]+=*$/)]);
  });

  test('an image by URL is fetched with its key', async () => {
    const account = await api.account();
    const body = { model: 'gpt-image-2', prompt: 'a red fox', response_format: 'url' };
    const [source = ''] = readImages(await postJson(account, url('/images/generations'), body));
    expect(await download(source, { authorization: `Bearer ${account.apiKey}` })).toBe('image/png');
  });

  test('an edit: a form, the image first', async () => {
    const account = await api.account();
    const form = new FormData();
    form.append('image', IMAGE, 'reference.png');
    form.append('prompt', 'at night');
    form.append('model', 'nanobanana');
    form.append('aspect_ratio', '1:1');
    const answer = await ask(account, url('/images/edits'), { method: 'POST', body: form });
    expect(readImages(answer)).toHaveLength(1);
  });

  test('a failure: its message is shown', async () => {
    const account = await api.account();
    const body = { model: 'gpt-image-2', prompt: 'fail moderation' };
    const { status, json } = await postJson(account, url('/images/generations'), body);
    expect([status, asText(asObject(json.error).message)]).toEqual([
      400,
      expect.stringMatching(/moderation/),
    ]);
  });
});

describe('openai-compatible-imagegen, by its protocol of OpenAI', () => {
  const url = (path: string): string => `${api.url}/openai/v1/${path}`;
  const HEADERS = { accept: 'application/json', 'user-agent': 'codex-imagegen' };

  test('an image and an edit come in the answer', async () => {
    const account = await api.account();
    const fields = { model: 'gpt-image-2', prompt: 'a red fox', size: '1024x1024', quality: 'high' };
    const drawn = await postJson(account, url('images/generations'), { ...fields, n: 1 }, HEADERS);
    const form = makeForm({ ...fields, n: '1' }, 'image[]');
    const edited = await ask(account, url('images/edits'), { method: 'POST', headers: HEADERS, body: form });
    for (const { status, json } of [drawn, edited]) {
      expect([status, json.data]).toEqual([200, [{ b64_json: expect.any(String) }]]);
    }
  });

  test('a failure: status and body', async () => {
    const account = await api.account();
    const { status, json } = await postJson(
      account,
      url('images/generations'),
      { model: 'gpt-image-2', prompt: 'fail moderation' },
      HEADERS,
    );
    expect([status, asObject(json.error).code]).toEqual([400, 'content_policy_violation']);
  });

  test('its protocol of Atlas is not spoken: 404, and no task', async () => {
    const account = await api.account();
    const body = { model: 'gpt-image-2', prompt: 'a red fox' };
    const { status } = await postJson(account, `${api.url}/api/v1/model/generateImage`, body, HEADERS);
    expect(status).toBe(404);
    expect((await api.call('/v1/tasks', { as: account })).json.data.pagination.total).toBe(0);
  });
});

test('Nexior, whose paths are those of its own service, is told where the protocol is spoken', async () => {
  const account = await api.account();
  const body = { model: 'gpt-image-2', prompt: 'a red fox', size: '1024x1024', async: true };
  const { status, json } = await postJson(account, `${api.url}/openai/images/generations`, body, {
    accept: 'application/x-ndjson',
  });
  expect([status, asText(asObject(json.error).message)]).toEqual([
    404,
    expect.stringContaining('http://gateway.test/openai/v1'),
  ]);
  const polled = await postJson(account, `${api.url}/openai/tasks`, { action: 'retrieve', id: 'x' });
  expect(polled.status).toBe(404);
});
