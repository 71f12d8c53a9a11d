import { deleteEndedTask } from '@image-gateway/shared/db';
import { eventually, type TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi } from '../support/start-api.js';
import { drawImages, startWorker, type TestWorker } from './support/start-worker.js';

let api: TestApi;
let owner: TestAccount;
let worker: TestWorker;
beforeAll(async () => {
  api = await startApi({ FACADE_MAX_WAIT: '20' });
  await api.store.ensureBucket();
  owner = await api.account();
  worker = startWorker(api);
});
afterAll(async () => {
  await worker.stop();
  await api.test.checkInvariants();
  await api.stop();
});

const PATH = '/openai/v1/images/generations';
const post = (body: object | string, headers: Record<string, string> = {}, as = owner) =>
  api.call(PATH, { as, body, headers });
/** Body of an answer of OpenAI's kind. */
const read = (text: string) =>
  JSON.parse(text) as {
    readonly data: readonly { readonly b64_json?: string; readonly url?: string }[];
    readonly error: {
      readonly message: string;
      readonly type: string;
      readonly param: string;
      readonly code: string;
    };
  };
const countTasks = async (): Promise<number> => {
  const { rows } = await api.test.pool.query<{ n: number }>('SELECT count(*)::int AS n FROM tasks');
  return rows[0]?.n ?? 0;
};

describe('POST /openai/v1/images/generations', () => {
  test('POST /openai/v1/images/generations answers with the images of a task of /v1 as base64, its id and its cost', async () => {
    const { status, text, headers } = await post({ prompt: 'a fox', n: 3, size: '1536x1024', seed: 7 });
    const id = headers.get('x-gateway-task-id') ?? '';
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({
      created: expect.any(Number),
      data: drawImages(id, 3).map((bytes) => ({ b64_json: bytes.toString('base64') })),
      size: '1x1',
      output_format: 'png',
      usage: {
        input_tokens: 0,
        input_tokens_details: { image_tokens: 0, text_tokens: 0 },
        output_tokens: 0,
        total_tokens: 0,
      },
    });
    expect(headers.get('x-gateway-cost')).toBe('$0.0300');
    expect(headers.get('x-litellm-response-cost')).toBe('0.0300');
    expect(headers.get('x-gateway-unused')).toBeNull();
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
    const { text: listed } = await api.call(`/v1/tasks/${id}?view=full`, { as: owner });
    expect(JSON.parse(listed)).toMatchObject({
      data: { model: 'nanobanana', type: 'image_generate', asked: 3, aspect_ratio: '3:2', resolution: '1k' },
    });
  });

  test('POST /openai/v1/images/generations takes prompts of 32,000 characters, and ten images in one hold', async () => {
    const { status, headers, text } = await post({
      prompt: '🦊'.repeat(32_000),
      n: 10,
      response_format: 'url',
    });
    const id = headers.get('x-gateway-task-id');
    expect(status).toBe(200);
    expect(read(text).data.map(({ url }) => url)).toEqual(
      Array.from({ length: 10 }, (_, index) => `http://gateway.test/files/images/${id}/${index}.png`),
    );
    expect(headers.get('x-gateway-cost')).toBe('$0.1000');
  });

  test('a size that no resolution of the model is near is told as unused', async () => {
    const sizes = ['100x100', '1024x1024', '1792x1024', '3000x100'];
    const told = sizes.map(async (size) =>
      (await post({ prompt: 'a fox', size })).headers.get('x-gateway-unused'),
    );
    expect(await Promise.all(told)).toEqual(['size', null, null, 'size']);
  });

  test('a replayed answer, a stream and a 202 tell LiteLLM of no cost of their own', async () => {
    const costs = async (fields: object, headers = {}) =>
      (await post({ prompt: 'a hare', ...fields }, headers)).headers.get('x-litellm-response-cost');
    const key = { 'Idempotency-Key': 'cost-once' };
    expect([await costs({}, key), await costs({}, key)]).toEqual(['0.0100', '0']);
    expect([await costs({ stream: true }), await costs({ async: true })]).toEqual([null, null]);
  });

  test('safety_identifier becomes metadata.user, unless there is a user', async () => {
    const readMetadata = async (fields: object): Promise<unknown> => {
      const { headers } = await post({ prompt: 'a hare', ...fields });
      const id = headers.get('x-gateway-task-id') ?? '';
      return (await api.call(`/v1/tasks/${id}`, { as: owner })).json.data;
    };
    expect(await readMetadata({ safety_identifier: 'ann' })).toMatchObject({ metadata: { user: 'ann' } });
    const both = { safety_identifier: 'ann', user: 'ben' };
    expect(await readMetadata(both)).toMatchObject({ metadata: { user: 'ben' } });
  });

  test('a prompt that is missing is required, and one that is too long is told with its length', async () => {
    const message = async (fields: object): Promise<string> => read((await post(fields)).text).error.message;
    expect(await message({})).toMatch(/^prompt is required: a string of/);
    expect(await message({ prompt: 'x'.repeat(32_001) })).toMatch(/; it has 32001\.$/);
  });

  test('draws the nearest ratio at the cheapest sufficient resolution', async () => {
    const wishes = [
      [{}, '16:9', '1k'],
      [{ size: 'auto' }, '16:9', '1k'],
      [{ size: '512x512' }, '1:1', '1k'],
      [{ size: '1024x1024' }, '1:1', '1k'],
      [{ size: '1024x1536' }, '2:3', '1k'],
      [{ size: '1792x1024' }, '16:9', '2k'],
      [{ size: '4096x4096' }, '1:1', '4k'],
      [{ size: '99999x1' }, '21:9', '4k'],
      [{ size: '768x1376' }, '9:16', '1k'],
      [{ aspect_ratio: '4:5', resolution: '2K' }, '4:5', '2k'],
      [{ size: '1024x1024', aspect_ratio: '21:9' }, '21:9', '1k'],
    ] as const;
    const drawn = await Promise.all(
      wishes.map(async ([fields]) => {
        const { headers } = await post({ prompt: 'a fox', response_format: 'url', ...fields });
        const seen = worker.seen.find(({ id }) => id === headers.get('x-gateway-task-id'));
        return [fields, seen?.ratio, seen?.resolution];
      }),
    );
    expect(drawn).toEqual(wishes);
  });

  test('POST /openai/v1/images/generations takes ids and aliases of models, and without one the default model', async () => {
    const models = [
      'nanobanana',
      'gpt-image-1',
      'gpt-image-1.5',
      'gpt-image-2',
      'dall-e-2',
      'dall-e-3',
      null,
    ];
    const statuses = models.map(async (model) => {
      const body = { prompt: 'a fox', model, response_format: 'url', quality: 'auto', background: 'auto' };
      return (await post(body)).status;
    });
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]));
  });

  test.each([
    ['prompt', 'absent', {}],
    ['prompt', 'blank', { prompt: ' ' }],
    ['prompt', 'too long', { prompt: 'x'.repeat(32_001) }],
    ['model', 'unknown', { prompt: 'x', model: 'flux' }],
    ['n', 'too high', { prompt: 'x', n: 11 }],
    ['n', 'a string', { prompt: 'x', n: '2' }],
    ['size', 'no size', { prompt: 'x', size: 'big' }],
    ['aspect_ratio', 'drawn by no route', { prompt: 'x', aspect_ratio: '7:5' }],
    ['resolution', 'not offered', { prompt: 'x', resolution: '8k' }],
    ['response_format', 'unknown', { prompt: 'x', response_format: 'png' }],
    ['mask', 'given', { prompt: 'x', mask: 'data:image/png;base64,AAAA' }],
    [
      'background',
      'transparent in a JPEG',
      { prompt: 'x', background: 'transparent', output_format: 'jpeg' },
    ],
  ])('names the field %s in a 400 when it is %s, and makes no task', async (param, _why, body) => {
    const before = await countTasks();
    const { status, text, headers } = await post(body);
    expect([status, read(text).error]).toEqual([
      400,
      {
        type: 'invalid_request_error',
        param,
        message: expect.stringContaining(param),
        code: expect.stringMatching(/^(invalid_value|model_not_found)$/),
      },
    ]);
    expect(headers.get('x-should-retry')).toBeNull();
    expect(await countTasks()).toBe(before);
  });

  test.each([
    ['moderation', 'invalid_request_error', 'content_policy_violation'],
    ['refusedInput', 'invalid_request_error', null],
    ['upstream', 'server_error', null],
    ['deadline', 'server_error', null],
    ['canceled', 'server_error', null],
    ['internal', 'server_error', null],
    ['drawn by nobody', 'server_error', null],
  ])('a task that failed for %s is a 400 that nobody repeats', async (reason, type, code) => {
    const { status, text, headers } = await post({ prompt: `fail ${reason}` });
    expect([status, headers.get('x-should-retry'), headers.get('retry-after')]).toEqual([400, 'false', null]);
    expect(headers.get('x-gateway-task-id')).toMatch(/^gen_/);
    expect(read(text).error).toMatchObject({ type, code, message: expect.stringMatching(/./) });
  });

  test('missing money is a 403 insufficient_quota, never a 429', async () => {
    const poor = await api.account({ balanceMicros: 10_000n });
    const { status, text } = await post({ prompt: 'x', n: 2 }, {}, poor);
    expect([status, read(text).error]).toMatchObject([
      403,
      { type: 'insufficient_quota', code: 'insufficient_quota' },
    ]);
  });

  test('async is the 202 of POST /v1/generate', async () => {
    const body = { prompt: 'a fox', aspect_ratio: '16:9' };
    const plain = await api.call('/v1/generate', { as: owner, body: { ...body, model: 'nanobanana' } });
    const answers = [
      await post({ ...body, async: true }),
      await post(body, { prefer: 'respond-async, foo=bar' }),
    ];
    const shape = ({ status, text, headers }: typeof plain) => [
      status,
      text.replace(/gen_\w+/, 'gen_').replace(/"created_at":"[^"]+"/, ''),
      headers.get('location')?.replace(/gen_\w+/, 'gen_'),
      ...['retry-after', 'cache-control', 'content-type'].map((name) => headers.get(name)),
    ];
    expect(answers.map(shape)).toEqual([shape(plain), shape(plain)]);
  });

  test('an Idempotency-Key joins the task that is under way, and names another body as an error', async () => {
    const buyer = await api.account();
    const ask = (body: object, key?: string) => post(body, key ? { 'idempotency-key': key } : {}, buyer);
    const first = { prompt: 'a key', model: 'dall-e-3' };
    const both = await Promise.all([1, 2].map(() => ask(first, 'facade')));
    const ids = both.map((answer) => answer.headers.get('x-gateway-task-id'));
    expect([both.map(({ status }) => status), new Set(ids).size]).toEqual([[200, 200], 1]);
    expect((await ask({ prompt: 'another' }, 'facade')).status).toBe(400);
    await api.test.pool.query("UPDATE api_keys SET models = '{other}' WHERE id = $1", [buyer.apiKeyId]);
    await eventually(async () => expect((await ask({ prompt: 'x' })).status).toBe(403));
    const later = await ask(first, 'facade');
    expect([later.status, later.headers.get('x-gateway-task-id')]).toEqual([200, ids[0]]);
  });

  test('an Idempotency-Key whose task was deleted is a final 404', async () => {
    const headers = { 'idempotency-key': 'deleted' };
    const first = await post({ prompt: 'for a moment' }, headers);
    const taskId = first.headers.get('x-gateway-task-id') ?? '';
    expect(await deleteEndedTask(api.test.db, { taskId, accountId: null })).toBe('deleted');
    const { status, text } = await post({ prompt: 'for a moment' }, headers);
    expect([status, read(text).error.code]).toEqual([404, 'task_deleted']);
  });

  test('X-Stainless-Timeout ends the wait in time with a 503 that is repeated; the task goes on', async () => {
    const startedAt = performance.now();
    const { status, headers, text } = await post({ prompt: 'wait' }, { 'x-stainless-timeout': '6' });
    const took = performance.now() - startedAt;
    expect([status, headers.get('retry-after'), headers.get('x-should-retry')]).toEqual([503, '1', 'true']);
    expect(read(text).error.type).toBe('server_error');
    expect(took).toBeGreaterThan(500);
    const { rows } = await api.test.pool.query(
      "SELECT FROM tasks WHERE prompt = 'wait' AND status = 'pending'",
    );
    expect(rows).toHaveLength(1);
  });

  test('errors before the handler have the form of OpenAI too', async () => {
    const stranger = await api.call(PATH, { body: {} });
    const malformed = await post('{');
    const unknown = await api.call('/openai/v1/chat/completions', { as: owner, body: {} });
    expect([stranger, malformed, unknown].map(({ status, text }) => [status, read(text).error.code])).toEqual(
      [
        [401, 'invalid_api_key'],
        [400, null],
        [404, 'not_found'],
      ],
    );
    expect(stranger.headers.get('www-authenticate')).toBe('Bearer realm="image-gateway"');
  });
});
