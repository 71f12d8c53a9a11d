import { saveWorkerReport, type WorkerReport } from '@image-gateway/shared/db';
import { DRAWING } from '@image-gateway/shared/task';
import { buildPng, eventually, type TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
let account: TestAccount;
beforeAll(async () => {
  // The sandbox takes every field.
  api = await startApi({ PROVIDERS: 'sandbox' });
  await api.store.ensureBucket();
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

describe('while a generation worker of an earlier build reports', () => {
  const report = (service: WorkerReport['service'], providers: WorkerReport['report']) =>
    saveWorkerReport(api.test.db, { id: 'earlier', service, host: 'h', pid: 1, report: providers });
  const draw = (body: object, path = 'generations') =>
    api.call(`/openai/v1/images/${path}`, { as: account, body: { prompt: 'a fox', async: true, ...body } });
  const image = 'https://images.example.com/fox.png';
  const png = buildPng({ width: 4, height: 4, depth: 8, colour: 'rgba' });
  const mask = `data:image/png;base64,${png.toString('base64')}`;

  test('a request that it could not draw is to be repeated, and leaves nothing; others are accepted', async () => {
    const first = await submit({ seed: 7 }, { 'idempotency-key': 'before' });
    await report('generation-worker', { candidates: [], providers: ['sandbox'], sandboxServesRest: true });
    await eventually(async () => expect((await submit({ seed: 7 })).status).toBe(503));
    const counting = 'SELECT FROM tasks WHERE account_id = $1';
    const before = (await api.test.pool.query(counting, [account.id])).rows.length;
    for (const refused of [
      await submit({ seed: 7 }),
      await submit({ output_format: 'webp' }),
      await submit({ background: 'transparent' }),
      await draw({ background: 'transparent' }),
      await draw({ image, mask }, 'edits'),
    ]) {
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
      expect(JSON.stringify(refused.json)).toMatch(/upgraded/);
    }
    expect((await api.test.pool.query(counting, [account.id])).rows).toHaveLength(before);
    expect(
      (await api.test.pool.query('SELECT FROM task_inputs WHERE account_id = $1', [account.id])).rows,
    ).toEqual([]);
    for (const accepted of [
      await submit({ background: 'opaque', quality: 'auto' }),
      await draw({ seed: 7, output_format: 'webp', quality: 'high' }),
      await draw({ image }, 'edits'),
    ]) {
      expect(accepted.status).toBe(202);
    }
    const replayed = await submit({ seed: 7 }, { 'idempotency-key': 'before' });
    expect([replayed.status, replayed.json.data.id]).toEqual([202, first.json.data.id]);
  });

  test('a value and a kind of task that it does not report are to be repeated as well, and others are accepted', async () => {
    const draws = {
      types: ['image_generate'],
      fields: { ...DRAWING.fields, outputFormat: ['png'] as const },
    };
    await report('generation-worker', {
      candidates: [],
      providers: ['sandbox'],
      sandboxServesRest: true,
      draws,
    });
    await eventually(async () => expect((await submit({ seed: 7 })).status).toBe(202));
    expect((await submit({ output_format: 'webp' })).status).toBe(503);
    expect((await submit({ output_format: 'png' })).status).toBe(202);
    expect((await submit({ image_urls: [image] })).status).toBe(503);
    expect((await draw({ image }, 'edits')).status).toBe(503);
  });

  test('they are accepted as soon as it is gone, or is one of this build', async () => {
    await report('generation-worker', {
      candidates: [],
      providers: ['sandbox'],
      sandboxServesRest: true,
      draws: DRAWING,
    });
    await eventually(async () => expect((await submit({ output_format: 'webp' })).status).toBe(202));
    await report('webhook-worker', {});
    await api.test.pool.query("UPDATE worker_reports SET service = 'webhook-worker'");
    expect((await draw({ image, mask }, 'edits')).status).toBe(202);
    await api.test.pool.query(
      "UPDATE worker_reports SET service = 'generation-worker', report = '{}', seen_at = now() - interval '61 seconds'",
    );
    await eventually(async () => expect((await submit({ output_format: 'webp' })).status).toBe(202));
  });
});
