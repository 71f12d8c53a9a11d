import { buildPng, eventually, type TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi } from '../support/start-api.js';
import { startWorker, type TestWorker } from './support/start-worker.js';

let api: TestApi;
/** One whose only provider takes seeds, and nothing else. */
let gemini: TestApi;
/** One whose only provider takes neither seeds nor styles. */
let openai: TestApi;
let owner: TestAccount;
let worker: TestWorker;
beforeAll(async () => {
  api = await startApi({ FACADE_MAX_WAIT: '20', PROVIDERS: 'sandbox' });
  gemini = await startApi({
    DATABASE_URL: api.test.url,
    FACADE_MAX_WAIT: '20',
    PROVIDERS: 'gemini',
    GEMINI_API_KEY: 'k',
  });
  openai = await startApi({
    DATABASE_URL: api.test.url,
    PROVIDERS: 'openai',
    OPENAI_API_KEY: 'k',
  });
  await api.store.ensureBucket();
  owner = await api.account();
  worker = startWorker(api);
});
afterAll(async () => {
  await worker.stop();
  await api.test.checkInvariants();
  await gemini.stop();
  await openai.stop();
  await api.stop();
});

const post = (body: object, to = api) =>
  to.call('/openai/v1/images/generations', {
    as: owner,
    body: { prompt: 'a fox', response_format: 'url', ...body },
  });
const readTask = async (headers: Headers) => {
  const id = headers.get('x-gateway-task-id');
  const { rows } = await api.test.pool.query(
    'SELECT quality, seed, output_format, background, wishes, unit_micros::int AS unit FROM tasks WHERE id = $1',
    [id],
  );
  return rows[0];
};
const NONE = { quality: null, seed: null, output_format: null, background: null, wishes: null, unit: 10_000 };

describe('wishes of a request of the facade', () => {
  const wishes = {
    quality: 'high',
    output_format: 'webp',
    output_compression: 80,
    style: 'vivid',
    moderation: 'low',
    input_fidelity: 'high',
    seed: 7,
  };

  test('go along with the task, whatever its routes take, and cost nothing more', async () => {
    for (const to of [api, gemini]) {
      const { status, headers } = await post(wishes, to);
      expect(status).toBe(200);
      expect(await readTask(headers)).toEqual({ ...NONE, wishes });
      const id = headers.get('x-gateway-task-id') ?? '';
      const { json } = await api.call(`/v1/tasks/${id}?view=full`, { as: owner });
      expect(json.data).toMatchObject(wishes);
    }
  });

  test('refuse nothing where no route understands their value', async () => {
    const nonsense = { quality: 'best', style: 'x'.repeat(65), seed: -1, background: 'blue' };
    const { status, headers } = await post(nonsense);
    expect(status).toBe(200);
    expect(await readTask(headers)).toEqual({
      ...NONE,
      wishes: { quality: null, style: null, seed: null, background: null },
    });
  });

  test('are named in the answer where they were not used', async () => {
    const answer = post({ prompt: 'wait', seed: 7, style: 'vivid' });
    const [pending] = await untilPending();
    await eventually(() => expect(worker.seen.map(({ id }) => id)).toContain(pending));
    await api.test.pool.query(
      "UPDATE tasks SET unused = '{seed,style}', prompt = 'a fox again' WHERE id = $1",
      [pending],
    );
    worker.forget(pending ?? '');
    const { headers } = await answer;
    expect(headers.get('x-gateway-unused')).toBe('seed, style');
    const { json } = await api.call(`/v1/tasks/${pending}?view=full`, { as: owner });
    expect(json.data).toMatchObject({ unused: ['seed', 'style'] });
  });

  async function untilPending(): Promise<string[]> {
    for (;;) {
      const { rows } = await api.test.pool.query<{ id: string }>(
        "SELECT id FROM tasks WHERE status = 'pending' AND prompt = 'wait'",
      );
      if (rows.length > 0) {
        return rows.map(({ id }) => id);
      }
    }
  }
});

describe('requirements of a request of the facade', () => {
  test('a background is required, and refused by name where no route draws it', async () => {
    const { headers } = await post({ background: 'transparent' });
    expect(await readTask(headers)).toEqual({ ...NONE, background: 'transparent' });
    const refused = await post({ background: 'transparent' }, gemini);
    expect([refused.status, refused.json.error]).toEqual([
      400,
      expect.objectContaining({
        param: 'background',
        message:
          'background must be absent: no single route of nanobanana takes it with the rest of the request.',
      }),
    ]);
    expect((await post({ background: 'opaque' }, gemini)).status).toBe(200);
  });
});

describe('the default requests of clients', () => {
  const b64 = { n: 1, response_format: 'b64_json' };
  test.each<[string, object]>([
    ['Open WebUI', { model: 'dall-e-2', size: '512x512', ...b64 }],
    [
      'LibreChat',
      { model: 'gpt-image-1', size: 'auto', quality: 'auto', background: 'auto', output_format: 'png' },
    ],
    ['n8n', { model: 'dall-e-3', size: '1024x1024', quality: 'standard', style: 'vivid', ...b64 }],
    ['n8n in HD', { model: 'dall-e-3', size: '1792x1024', quality: 'hd', style: 'natural' }],
    ['InvokeAI', { size: '1328x800', ...b64 }],
    ['the AI SDK', { model: 'nanobanana', n: 2, size: '1024x1536', response_format: 'b64_json' }],
    [
      "OpenAI's SDKs",
      {
        model: 'gpt-image-1',
        size: '1536x1024',
        quality: 'high',
        moderation: 'low',
        output_format: 'webp',
        output_compression: 80,
        background: 'opaque',
      },
    ],
  ])(
    'of %s are accepted whatever provider draws: Gemini alone, OpenAI alone, the sandbox',
    async (_, body) => {
      for (const to of [api, gemini, openai]) {
        const { status, json } = await to.call('/openai/v1/images/generations', {
          as: owner,
          body: { prompt: 'a fox', ...body, async: true },
        });
        expect([status, json.error]).toEqual([202, null]);
      }
    },
  );
});

describe('the shape of an edit', () => {
  const images = [{ image_url: 'https://a.example/upright.png' }];
  const readShape = async (id: string | null) => {
    const sql = 'SELECT aspect_ratio, shape_ratios FROM tasks WHERE id = $1';
    return (await api.test.pool.query(sql, [id])).rows[0];
  };
  const edit = async (more: object) => {
    const body = { prompt: 'a fox', response_format: 'url', images, ...more };
    const { headers } = await api.call('/openai/v1/images/edits', { as: owner, body });
    const id = headers.get('x-gateway-task-id') ?? '';
    const { json } = await api.call(`/v1/tasks/${id}?view=full`, { as: owner });
    return { row: await readShape(id), view: json.data as { aspect_ratio?: string } };
  };

  test('follows its first image where no size is given, once a worker has loaded that', async () => {
    for (const more of [{}, { size: 'auto' }]) {
      const { row, view } = await edit(more);
      expect(row).toEqual({ aspect_ratio: '16:9', shape_ratios: expect.arrayContaining(['2:3', '1:1']) });
      expect(view).not.toHaveProperty('aspect_ratio');
    }
  });

  test('is set at once where the gateway has the image: a data URL, a file or a result of its own', async () => {
    const png = buildPng({ width: 600, height: 900, depth: 8, colour: 'rgb' });
    const image_url = `data:image/png;base64,${png.toString('base64')}`;
    const { row, view } = await edit({ images: [{ image_url }, ...images] });
    expect(row).toEqual({ aspect_ratio: '2:3', shape_ratios: null });
    expect(view).toMatchObject({ aspect_ratio: '2:3', resolution: '1k' });

    const form = new FormData();
    form.append('prompt', 'a fox');
    form.append('image', new Blob([new Uint8Array(png)]), 'upright.png');
    const headers = { authorization: `Bearer ${owner.apiKey}` };
    const sent = await fetch(`${api.url}/openai/v1/images/edits`, { method: 'POST', headers, body: form });
    expect(await readShape(sent.headers.get('x-gateway-task-id'))).toEqual({
      aspect_ratio: '2:3',
      shape_ratios: null,
    });

    const { headers: made } = await post({});
    const id = made.get('x-gateway-task-id') ?? '';
    await api.test.pool.query('UPDATE task_outputs SET width = 768, height = 1024 WHERE task_id = $1', [id]);
    const { json } = await api.call(`/v1/tasks/${id}`, { as: owner });
    const own = (json.data as { output?: { url: string } }).output?.url ?? '';
    expect((await edit({ images: [{ image_url: own }] })).row).toEqual({
      aspect_ratio: '3:4',
      shape_ratios: null,
    });
    const missing = await edit({ images: [{ image_url: own.replace(/0\.png$/, '7.png') }] });
    expect(missing.row).toMatchObject({ shape_ratios: expect.any(Array) });
  });

  test('is left to a worker where the bytes are no image, or do not tell', async () => {
    const image_url = `data:image/png;base64,${Buffer.from('no image').toString('base64')}`;
    expect((await edit({ images: [{ image_url }] })).row).toMatchObject({
      aspect_ratio: '16:9',
      shape_ratios: expect.any(Array),
    });
  });

  test('is the one that was asked for, and that of the model without images', async () => {
    for (const [more, aspect_ratio] of [
      [{ size: '1024x1024' }, '1:1'],
      [{ aspect_ratio: '4:5' }, '4:5'],
    ] as const) {
      const { row, view } = await edit(more);
      expect(row).toEqual({ aspect_ratio, shape_ratios: null });
      expect(view).toMatchObject({ aspect_ratio });
    }
    const { headers } = await post({});
    expect(await readShape(headers.get('x-gateway-task-id'))).toEqual({
      aspect_ratio: '16:9',
      shape_ratios: null,
    });
  });
});
