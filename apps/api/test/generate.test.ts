import type { TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
let account: TestAccount;

beforeAll(async () => {
  api = await startApi({ OUTBOUND_ALLOW: '127.0.0.1:9999,[::1]:9999', BASE_URL: 'http://127.0.0.1:3000' });
  account = await api.account();
});
afterAll(async () => {
  await api.test.checkInvariants();
  await api.stop();
});

const submit = (body: unknown, headers: Record<string, string> = {}, as = account) =>
  api.call('/v1/generate', { as, body, headers });
const good = { model: 'nanobanana', prompt: 'a fox' };
const row = async (id: string) =>
  (await api.test.pool.query('SELECT * FROM tasks WHERE id = $1', [id])).rows[0];

describe('an accepted request', () => {
  test('an accepted request is answered 202 with the pending task and the promised headers', async () => {
    const { status, headers, json } = await submit(good);
    expect(status).toBe(202);
    expect(json).toEqual({
      data: {
        id: expect.stringMatching(/^gen_[0-9A-Za-z]{22}$/),
        status: 'pending',
        model: 'nanobanana',
        type: 'image_generate',
        cost: '$0.00',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
      error: null,
    });
    expect(headers.get('location')).toBe(`/v1/tasks/${json.data.id}`);
    expect([headers.get('retry-after'), headers.get('cache-control')]).toEqual(['2', 'no-store']);
    expect((await api.call(`/v1/tasks/${json.data.id}`, { as: account })).json).toEqual(json);
  });

  test('an accepted request is stored with its defaults; null is absent, unknown fields and __proto__ leave no trace', async () => {
    const body = `{"model":"nanobanana","prompt":"a fox","duration":null,"webhook_url":null,"seed":7,
      "__proto__":{"num_outputs":4,"polluted":true},"constructor":{"prototype":{"polluted":true}}}`;
    const { status, json } = await submit(body);
    expect(status).toBe(202);
    expect(await row(json.data.id)).toMatchObject({
      aspect_ratio: '16:9',
      resolution: '1k',
      num_outputs: 1,
      duration: null,
      webhook_url: null,
      image_urls: [],
    });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('an accepted request keeps every field that was given, characters outside the BMP included', async () => {
    const full = {
      ...good,
      prompt: '🦊'.repeat(2000),
      negative_prompt: 'é'.repeat(1000),
      aspect_ratio: '9:16',
      num_outputs: 4,
      resolution: '4k',
      duration: 60,
      image_urls: ['https://example.com/a.png', 'https://example.com/a.png'],
      webhook_url: `https://example.com/${'x'.repeat(2028)}`,
    };
    const { status, json } = await submit(full);
    expect([status, json.data.type]).toEqual([202, 'image_edit']);
    expect(await row(json.data.id)).toMatchObject({ ...full, hold_micros: '40000' });
  });

  test.each([
    'http://127.0.0.1:9999/a.png',
    'http://[::1]:9999/a.png',
    'http://127.0.0.1:3000/files/images/gen_x/0.png',
    'HTTPS://EXAMPLE.COM',
    'https://例え.jp/画像.png',
  ])('an accepted request may name the input image %s', async (url) => {
    expect((await submit({ ...good, image_urls: [url] })).status).toBe(202);
  });
});

// Faults that depend on settings: the unit tests of the schema and acceptance/generate-fields have the values of fields.
describe('an invalid field is VALIDATION_ERROR, and the message names it', () => {
  test.each<[string, object]>([
    ['model', { model: 'nanobanana-pro' }],
    ['image_urls[1]', { image_urls: ['https://example.com/a.png', 'x'.repeat(1_000)] }],
    ['image_urls[0]', { image_urls: ['http://127.0.0.1:3000/other'] }],
    ['image_urls[0]', { image_urls: ['http://127.0.0.1:9998/'] }],
    ['image_urls[0]', { image_urls: ['http://localhost:9999/a.png'] }],
    ['image_urls[0]', { image_urls: ['http://a.LocalHost.:80/a.png'] }],
    ['webhook_url', { webhook_url: 'http://localhost:4555/hook' }],
    ['webhook_url', { webhook_url: 'http://127.0.0.1:3000/files/images/gen_x/0.png' }],
  ])('%s: %j', async (field, fields) => {
    const { status, json } = await submit({ ...good, ...fields });
    expect([status, json.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(json.error.message.split(' ')[0]).toBe(field);
    expect(json.error.message.length).toBeLessThanOrEqual(400);
  });
});

describe('Idempotency-Key', () => {
  test('replays the original answer, byte for byte, and holds once', async () => {
    const buyer = await api.account({ balanceMicros: 10_000n });
    const key = { 'idempotency-key': 'order-1' };
    const [first, again] = [await submit(good, key, buyer), await submit(good, key, buyer)];
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(again.text).toBe(first.text);
    expect([first.headers.get('idempotent-replayed'), again.headers.get('idempotent-replayed')]).toEqual([
      null,
      'true',
    ]);
    const other = await submit({ ...good, prompt: 'else' }, key, buyer);
    expect([other.status, other.json.error.code]).toEqual([400, 'BAD_REQUEST']);
    expect((await submit(good, {}, buyer)).json.error.code).toBe('INSUFFICIENT_BALANCE');
  });

  test.each(['', 'a b', 'é', 'x'.repeat(256), 'a\tb'])('%.20j is BAD_REQUEST', async (key) => {
    const { status, json } = await submit(good, { 'idempotency-key': Buffer.from(key).toString('latin1') });
    expect([status, json.error.code]).toEqual([400, 'BAD_REQUEST']);
  });

  test('twice in one request is BAD_REQUEST', async () => {
    const headers: [string, string][] = [
      ['authorization', `Bearer ${account.apiKey}`],
      ['content-type', 'application/json'],
      ['idempotency-key', 'a'],
      ['idempotency-key', 'a'],
    ];
    const response = await fetch(`${api.url}/v1/generate`, {
      method: 'POST',
      headers,
      body: JSON.stringify(good),
    });
    expect(response.status).toBe(400);
  });
});
