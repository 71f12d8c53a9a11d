import type { TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
let account: TestAccount;
beforeAll(async () => {
  // The sandbox takes every field.
  api = await startApi({ PROVIDERS: 'sandbox' });
  account = await api.account();
});
afterAll(async () => {
  await api.test.checkInvariants();
  await api.stop();
});

const good = { model: 'nanobanana', prompt: 'a fox' };
const submit = (body: object, headers: Record<string, string> = {}) =>
  api.call('/v1/generate', { as: account, body: { ...good, ...body }, headers });
const readRow = async (id: string) =>
  (
    await api.test.pool.query(
      'SELECT quality, seed::text, output_format, background, mask, wishes, idem_added FROM tasks WHERE id = $1',
      [id],
    )
  ).rows[0];
const readFull = async (id: string): Promise<object> =>
  (await api.call(`/v1/tasks/${id}?view=full`, { as: account })).json.data;

describe('optional fields of a request', () => {
  test('what is given is stored, and stands beside the prompt in the full view', async () => {
    const given = { seed: 4_294_967_295, output_format: 'webp', background: 'transparent' };
    const { status, json } = await submit(given);
    expect(status).toBe(202);
    expect(await readRow(json.data.id)).toEqual({
      ...given,
      seed: '4294967295',
      quality: null,
      mask: null,
      wishes: null,
      idem_added: null,
    });
    expect(await readFull(json.data.id)).toEqual({
      ...json.data,
      images: [],
      asked: 1,
      prompt: 'a fox',
      aspect_ratio: '16:9',
      resolution: '1k',
      ...given,
    });
  });

  test('without them a task answers as before', async () => {
    const { json } = await submit({ quality: 'auto', background: 'auto', seed: null });
    expect(Object.keys(await readFull(json.data.id))).toEqual([
      'id',
      'status',
      'model',
      'type',
      'cost',
      'created_at',
      'images',
      'asked',
      'prompt',
      'aspect_ratio',
      'resolution',
    ]);
  });

  test('a model with plain prices offers no quality, whatever its routes take', async () => {
    for (const quality of ['low', 'medium', 'high', 'max']) {
      for (const path of ['/v1/generate', '/v1/quote']) {
        const { status, json } = await api.call(path, { as: account, body: { ...good, quality } });
        expect([status, json.error]).toEqual([
          400,
          { code: 'VALIDATION_ERROR', message: 'quality must be "auto".' },
        ]);
      }
    }
  });

  test('an idempotency key is bound to them too', async () => {
    const key = { 'Idempotency-Key': 'with-a-seed' };
    const first = await submit({ seed: 7 }, key);
    const again = await submit({ seed: 7 }, key);
    expect([again.json.data.id, again.headers.get('idempotent-replayed')]).toEqual([
      first.json.data.id,
      'true',
    ]);
    expect((await submit({ seed: 8 }, key)).json.error.code).toBe('BAD_REQUEST');
    expect((await submit({}, key)).json.error.code).toBe('BAD_REQUEST');
  });
});

describe('fields of other APIs', () => {
  const foreign = {
    size: '1024x1024',
    n: 2,
    webhook: 'https://a.example',
    aspectRatio: '1:1',
    mask: null,
    other: 1,
  };

  test('are named where they have no effect', async () => {
    const { status, headers, json } = await submit(foreign);
    expect([status, headers.get('x-gateway-ignored')]).toEqual([202, 'n, size, aspectRatio, webhook']);
    const { json: quote } = await api.call('/v1/quote', { as: account, body: { ...good, ...foreign } });
    expect(quote.data).toMatchObject({ units: 1, ignored: ['n', 'size', 'aspectRatio', 'webhook'] });
    expect(json.data).not.toHaveProperty('ignored');
  });

  test('are not named where there are none', async () => {
    const { headers } = await submit({ unknown: 1 });
    expect(headers.has('x-gateway-ignored')).toBe(false);
    const { json } = await api.call('/v1/quote', { as: account, body: good });
    expect(json.data).not.toHaveProperty('ignored');
  });
});
