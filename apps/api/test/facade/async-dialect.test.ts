import { eventually, type TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createKeyMaker } from '../support/create-key-maker.js';
import { startApi, type TestApi } from '../support/start-api.js';
import { startWorker, type TestWorker } from './support/start-worker.js';

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

const GENERATIONS = '/openai/v1/images/generations/async';
const EDITS = '/openai/v1/images/edits/async';
const PNG = `data:image/png;base64,${Buffer.from('an image').toString('base64')}`;

interface AsyncTask {
  readonly id: string;
  readonly status: string;
  readonly poll_url: string;
  readonly error: { readonly message: string; readonly param: string | null };
}

const submit = async (as: TestAccount, body: object, path = GENERATIONS, headers = {}) => {
  const answer = await api.call(path, { as, body, headers });
  return { ...answer, task: answer.json as unknown as AsyncTask };
};
const poll = async (as: TestAccount, { poll_url }: Pick<AsyncTask, 'poll_url'>) => {
  const answer = await api.call(poll_url, { as });
  return { ...answer, task: answer.json as unknown as AsyncTask };
};
const ended = (as: TestAccount, task: Pick<AsyncTask, 'poll_url'>): Promise<AsyncTask> =>
  eventually(async () => {
    const { task: now } = await poll(as, task);
    expect(now.status).not.toBe('processing');
    return now;
  });

describe('asynchronous requests in the dialect of other gateways', () => {
  test('names of other dialects that have no effect are told', async () => {
    const body = { prompt: 'x', callback_url: 'https://example.com/x', response_format: 'b64_json' };
    const { status, headers } = await submit(await api.account(), body);
    expect([status, headers.get('x-gateway-ignored')]).toEqual([202, 'callback_url, response_format']);
    expect((await submit(await api.account(), { prompt: 'x' })).headers.get('x-gateway-ignored')).toBeNull();
  });

  test('the request of their documentation is answered at once, and its task is read until it has URLs', async () => {
    const account = await api.account();
    const body = { model: 'gpt-image-1', prompt: 'A lighthouse during a winter storm', size: '1536x1024' };
    const { status, headers, task } = await submit(account, body);
    const seconds = Math.floor(Date.now() / 1_000);
    expect(status).toBe(202);
    expect(task).toEqual({
      id: expect.stringMatching(/^gen_/),
      task_id: task.id,
      object: 'image.generation.task',
      status: 'processing',
      created_at: expect.any(Number),
      expires_at: expect.any(Number),
      poll_url: `/openai/v1/images/tasks/${task.id}`,
    });
    expect(Math.abs((task as unknown as { created_at: number }).created_at - seconds)).toBeLessThan(60);
    expect(Object.fromEntries(headers)).toMatchObject({
      location: task.poll_url,
      'retry-after': '3',
      'cache-control': 'no-store',
      'x-gateway-task-id': task.id,
    });
    const done = await ended(account, task);
    const url = expect.stringMatching(`^http://gateway.test/files/images/${task.id}/0\\.`);
    expect(done).toEqual({
      id: task.id,
      task_id: task.id,
      object: 'image.generation.task',
      status: 'completed',
      created_at: expect.any(Number),
      completed_at: expect.any(Number),
      expires_at: expect.any(Number),
      image_url: url,
      result: { created: expect.any(Number), data: [{ url }] },
      data: [{ url }],
    });
  });

  test('an edit comes as JSON or as a form', async () => {
    const account = await api.account();
    const json = await submit(account, { prompt: 'x', images: [{ image_url: PNG }] }, EDITS);
    const form = new FormData();
    form.append('prompt', 'x');
    form.append('image', new Blob([new Uint8Array([1, 2, 3])]), 'a.png');
    const response = await fetch(api.url + EDITS, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.apiKey}` },
      body: form,
    });
    expect([json.status, response.status]).toEqual([202, 202]);
    expect(await ended(account, json.task)).toMatchObject({ status: 'completed' });
    expect(await ended(account, (await response.json()) as AsyncTask)).toMatchObject({ status: 'completed' });
  });

  test('a task that failed has the error object of the synchronous answer', async () => {
    const account = await api.account();
    const { task } = await submit(account, { prompt: 'fail moderation' });
    expect(await ended(account, task)).toMatchObject({
      status: 'failed',
      error: { code: 'content_policy_violation', param: 'prompt', type: 'invalid_request_error' },
    });
  });

  test('a task is read by any key that may read, and else by the one that submitted it', async () => {
    const account = await api.account();
    const makeKey = createKeyMaker(api, account);
    const [own, reader, drawer] = [
      await makeKey('--scopes', 'generate'),
      await makeKey('--scopes', 'read'),
      await makeKey('--scopes', 'generate'),
    ];
    const { task } = await submit(own, { prompt: 'x' });
    const stranger = await api.account();
    const statuses = [own, reader, drawer, stranger].map(async (key) => (await poll(key, task)).status);
    expect(await Promise.all(statuses)).toEqual([200, 200, 404, 404]);
    const { status, task: unknown } = await poll(own, { poll_url: '/openai/v1/images/tasks/nothing' });
    expect([status, unknown.error.message]).toEqual([404, 'There is no such task.']);
  });

  test('a repetition with its idempotency key gets the same task, and says so', async () => {
    const account = await api.account();
    const key = { 'idempotency-key': 'again' };
    const [first, again] = [
      await submit(account, { prompt: 'x' }, GENERATIONS, key),
      await submit(account, { prompt: 'x' }, GENERATIONS, key),
    ];
    expect(again.task.id).toBe(first.task.id);
    expect([first, again].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
  });

  test('a stream is refused by name', async () => {
    const { status, task } = await submit(await api.account(), { prompt: 'x', stream: true });
    expect([status, task.error.param]).toEqual([400, 'stream']);
  });

  test('async: true of the usual routes keeps its answer', async () => {
    const account = await api.account();
    const { status, json } = await api.call('/openai/v1/images/generations', {
      as: account,
      body: { prompt: 'x', async: true },
    });
    expect([status, json.data.id]).toEqual([202, expect.stringMatching(/^gen_/)]);
  });
});

describe('webhook_url on the OpenAI-compatible API', () => {
  test.each([
    ['/openai/v1/images/generations', {}],
    [GENERATIONS, {}],
    ['/openai/v1/images/edits', { images: [{ image_url: PNG }] }],
    [EDITS, { images: [{ image_url: PNG }] }],
  ])('webhook_url of %s is called when the task has ended', async (path, more) => {
    const account = await api.account();
    const webhook_url = 'https://hooks.example/x';
    const answer = await api.call(path, { as: account, body: { prompt: 'x', webhook_url, ...more } });
    const id = answer.headers.get('x-gateway-task-id') ?? '';
    await eventually(async () => {
      const { rows } = await api.test.pool.query('SELECT url FROM webhook_deliveries WHERE task_id = $1', [
        id,
      ]);
      expect(rows).toEqual([{ url: webhook_url }]);
    });
  });

  test.each([
    ['http://10.0.0.1/x', 'must lead to the public Internet'],
    ['ftp://hooks.example', 'must be an http or https URL'],
    [`https://a.example/${'x'.repeat(2_100)}`, 'must have at most 2048 characters'],
  ])('webhook_url %.30s is refused by name', async (webhook_url, fault) => {
    const { status, task } = await submit(await api.account(), { prompt: 'x', webhook_url });
    expect([status, task.error.param, task.error.message]).toEqual([
      400,
      'webhook_url',
      expect.stringContaining(`webhook_url ${fault}`),
    ]);
  });
});
