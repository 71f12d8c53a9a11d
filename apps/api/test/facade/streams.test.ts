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
describe('stream: true', () => {
  test('stream: true sends an event for each image, which carries task and cost', async () => {
    const { status, text, headers } = await post({ prompt: 'a fox', n: 2, stream: true });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(headers.get('x-accel-buffering')).toBe('no');
    const id = headers.get('x-gateway-task-id') ?? '';
    const events = text.split('\n\n').filter((event) => event.startsWith('event:'));
    const expected = drawImages(id, 2).map((bytes) => bytes.toString('base64'));
    expect(events.map((event) => event.split('\n')[0])).toEqual(
      Array(2).fill('event: image_generation.completed'),
    );
    const data = events.map(
      (event) => JSON.parse(event.split('\ndata: ')[1] ?? '') as Record<string, unknown>,
    );
    expect(data.map(({ b64_json }) => b64_json)).toEqual(expected);
    expect(data[1]).toMatchObject({
      type: 'image_generation.completed',
      task_id: id,
      cost: '$0.0200',
      size: '1x1',
      created_at: expect.any(Number),
    });
    expect(text.startsWith(': waiting\n\n')).toBe(true);
  });

  test('stream: true ends with an error event when the task has failed; missing money stays a status', async () => {
    const failed = await post({ prompt: 'fail moderation', stream: true });
    expect(failed.text).toContain(
      'event: error\ndata: {"type":"error","error":{"message":"The request was rejected',
    );
    const poor = await api.account({ balanceMicros: 0n });
    expect((await post({ prompt: 'x', stream: true }, {}, poor)).status).toBe(403);
  });
});

describe('GET /openai/v1/models', () => {
  test('lists ids and aliases, and finds each of them', async () => {
    const { text } = await api.call('/openai/v1/models', { as: owner });
    const { object, data } = JSON.parse(text) as { object: string; data: { id: string }[] };
    expect(object).toBe('list');
    expect(data.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['nanobanana', 'gpt-image-1', 'dall-e-3']),
    );
    const one = await api.call('/openai/v1/models/dall-e-3', { as: owner });
    expect(JSON.parse(one.text)).toEqual({
      id: 'dall-e-3',
      object: 'model',
      created: 0,
      owned_by: 'image-gateway',
    });
    const none = await api.call('/openai/v1/models/nanobanana-pro', { as: owner });
    expect([none.status, none.json.error.code]).toEqual([404, 'model_not_found']);
  });
});

test('a stop ends waits with a 503 that is repeated, and streams with an error, at once', async () => {
  const other = await startApi();
  const account = await other.account();
  const send = (body: object) => other.call(PATH, { as: account, body: { prompt: 'wait', ...body } });
  const waiting = send({});
  const streaming = send({ stream: true });
  await eventually(async () => {
    const { rows } = await other.test.pool.query('SELECT FROM tasks');
    expect(rows).toHaveLength(2);
  });
  const startedAt = performance.now();
  await other.shutdown.run('test');
  expect(performance.now() - startedAt).toBeLessThan(4_000);
  const { status, headers } = await waiting;
  expect([status, headers.get('x-should-retry'), headers.get('retry-after')]).toEqual([503, 'true', '1']);
  expect((await streaming).text).toMatch(/^: waiting\n\nevent: error\ndata: .*"server_error".*\n\n$/);
  await other.test.checkInvariants();
  await other.stop();
});
