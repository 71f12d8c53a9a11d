import { buildPng, eventually, pngChunk, type TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createKeyMaker } from '../support/create-key-maker.js';
import { startApi, type TestApi } from '../support/start-api.js';
import { startWorker, type TestWorker } from './support/start-worker.js';

let api: TestApi;
/** One whose only provider takes no masks. */
let gemini: TestApi;
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
  await api.store.ensureBucket();
  owner = await api.account();
  worker = startWorker(api);
});
afterAll(async () => {
  await worker.stop();
  await api.test.checkInvariants();
  await gemini.stop();
  await api.stop();
});

const EDITS = '/openai/v1/images/edits';
const GENERATIONS = '/openai/v1/images/generations';
const SIZE = { width: 60, height: 90, depth: 8 } as const;
const image = buildPng({ ...SIZE, colour: 'rgb' });
const mask = buildPng({ ...SIZE, colour: 'rgba' });
const long = buildPng({ ...SIZE, colour: 'rgb', chunks: [pngChunk('teXt', Buffer.alloc(300_000))] });
const other = buildPng({ ...SIZE, width: 61, colour: 'rgba' });
const toDataUrl = (bytes: Buffer): string => `data:image/png;base64,${bytes.toString('base64')}`;

type Part = readonly [name: string, value: string | Buffer];
const send = async (
  body: readonly Part[] | object,
  { to = api, as = owner, path = EDITS, headers = {} }: Partial<SendOptions> = {},
) => {
  const isForm = Array.isArray(body);
  const response = await fetch(to.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${as.apiKey}`,
      ...(!isForm && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: isForm ? toForm(body as readonly Part[]) : JSON.stringify({ prompt: 'a hat', ...body }),
  });
  const json = (await response.json()) as { error?: { message: string; param: string } };
  return {
    status: response.status,
    error: json.error,
    task: response.headers.get('x-gateway-task-id') ?? '',
  };
};
interface SendOptions {
  readonly to: TestApi;
  readonly as: TestAccount;
  readonly path: string;
  readonly headers: Record<string, string>;
}
function toForm(parts: readonly Part[]): FormData {
  const form = new FormData();
  form.append('prompt', 'a hat');
  for (const [name, value] of parts) {
    if (typeof value === 'string') {
      form.append(name, value);
    } else {
      form.append(name, new Blob([new Uint8Array(value)]), `${name}.png`);
    }
  }
  return form;
}
const readTask = async (id: string) => {
  const { rows } = await api.test.pool.query('SELECT type, mask, image_urls FROM tasks WHERE id = $1', [id]);
  return rows[0] as { type: string; mask: string; image_urls: string[] };
};
const readInput = (entry: string) => api.store.read(entry.replace(/^input:/, 'inputs/'));
const countUploads = async ({ id }: TestAccount): Promise<number> => {
  const { rows } = await api.test.pool.query('SELECT FROM task_inputs WHERE account_id = $1', [id]);
  return rows.length;
};

describe('a mask', () => {
  test.each<[string, readonly Part[] | object, string]>([
    [
      'a form',
      [
        ['image', image],
        ['mask', mask],
      ],
      EDITS,
    ],
    [
      'a form, in front of its image',
      [
        ['mask', mask],
        ['image', image],
      ],
      EDITS,
    ],
    ['JSON', { images: [{ image_url: toDataUrl(image) }], mask: toDataUrl(mask) }, EDITS],
    ['JSON, as an object', { mask: { image_url: toDataUrl(mask) }, image: toDataUrl(image) }, EDITS],
    ['JSON of a generation', { image: toDataUrl(image), mask: toDataUrl(mask) }, GENERATIONS],
    ['a long JSON body', { image: toDataUrl(long), mask: toDataUrl(mask) }, GENERATIONS],
  ])('of %s is an input of its own, beside the images', async (_, body, path) => {
    const { status, error, task } = await send(body, { path });
    expect([status, error]).toEqual([200, undefined]);
    const row = await readTask(task);
    expect(row).toEqual({
      type: 'image_edit',
      mask: expect.stringMatching(/^input:[0-9A-Za-z]{22}$/),
      image_urls: [expect.stringMatching(/^input:[0-9A-Za-z]{22}$/)],
    });
    expect(await readInput(row.mask)).toEqual(mask);
    const [first = ''] = row.image_urls;
    expect([image, long]).toContainEqual(await readInput(first));
    const { rows } = await api.test.pool.query('SELECT id FROM task_inputs WHERE task_id = $1', [task]);
    expect(rows).toHaveLength(2);
    const { json } = await api.call(`/v1/tasks/${task}?view=full`, { as: owner });
    expect(json.data).toMatchObject({ mask: true });
  });

  test('goes with an image that only a worker can fetch, which then compares them', async () => {
    const { status, task } = await send({
      image: 'https://images.example.com/fox.png',
      mask: toDataUrl(mask),
    });
    expect([status, (await readTask(task)).image_urls]).toEqual([
      200,
      ['https://images.example.com/fox.png'],
    ]);
  });

  test('is beside nine images; a tenth image is one too many', async () => {
    const nine = Array<Part>(9).fill(['image', image]);
    expect((await send([...nine, ['mask', mask]])).status).toBe(200);
    expect((await send([...nine, ['image', image]])).error).toMatchObject({ param: 'image' });
    const images = Array(9).fill(toDataUrl(image));
    expect((await send({ mask: toDataUrl(mask), images })).status).toBe(200);
    expect((await send({ images: [...images, toDataUrl(image)] })).error).toMatchObject({ param: 'images' });
  });

  test.each<[string, readonly Part[] | object, RegExp]>([
    [
      'without alpha',
      [
        ['image', image],
        ['mask', image],
      ],
      /alpha/,
    ],
    [
      'that is no image',
      [
        ['image', image],
        ['mask', Buffer.from('text')],
      ],
      /alpha/,
    ],
    [
      'that is empty',
      [
        ['image', image],
        ['mask', Buffer.alloc(0)],
      ],
      /empty/,
    ],
    [
      'that is too large',
      [
        ['image', image],
        ['mask', Buffer.alloc(10 * 1024 * 1024 + 1)],
      ],
      /too large/,
    ],
    [
      'of another size',
      [
        ['image', image],
        ['mask', other],
      ],
      /60 × 90 pixels, not 61 × 90/,
    ],
    [
      'that comes twice',
      [
        ['image', image],
        ['mask', mask],
        ['mask', mask],
      ],
      /one image/,
    ],
    [
      'that is a text of a form',
      [
        ['image', image],
        ['mask', 'https://a.example/m.png'],
      ],
      /a file/,
    ],
    ['that is a URL', { image: toDataUrl(image), mask: 'https://a.example/m.png' }, /data URL/],
    ['that is an upload', { image: toDataUrl(image), mask: 'input:0000000000000000000000' }, /data URL/],
    ['that is a number', { image: toDataUrl(image), mask: 7 }, /data URL/],
    [
      'that is a list',
      { image: toDataUrl(image), mask: [toDataUrl(mask), toDataUrl(mask)] },
      /one image|data URL/,
    ],
    ['of another size in JSON', { image: toDataUrl(image), mask: toDataUrl(other) }, /not 61 × 90/],
  ])('%s is refused by name and leaves nothing', async (_, body, message) => {
    const account = await api.account();
    for (let times = 0; times < 3; times++) {
      const { status, error } = await send(body, { as: account });
      expect([status, error]).toMatchObject([
        400,
        { param: 'mask', message: expect.stringMatching(message) },
      ]);
    }
    expect(await countUploads(account)).toBe(0);
    expect(
      (
        await send(
          [
            ['image', image],
            ['mask', mask],
          ],
          { as: account },
        )
      ).status,
    ).toBe(200);
  });

  test('without an image is refused by name', async () => {
    const { status, error } = await send({ mask: toDataUrl(mask) }, { path: GENERATIONS });
    expect([status, error?.param]).toEqual([400, 'mask']);
  });

  test('is refused by name where no route takes it, before it is read where the model is known', async () => {
    const account = await api.account();
    const large = Buffer.alloc(10 * 1024 * 1024 + 1);
    for (const body of [
      [
        ['image', image],
        ['mask', mask],
      ],
      [
        ['model', 'nanobanana'],
        ['mask', large],
        ['image', image],
      ],
      { image: toDataUrl(image), mask: toDataUrl(mask) },
    ] as const) {
      const { status, error } = await send(body, { to: gemini, as: account });
      expect([status, error]).toMatchObject([
        400,
        {
          param: 'mask',
          message:
            'mask must be absent: no single route of nanobanana takes it with the rest of the request.',
        },
      ]);
    }
    expect(await countUploads(account)).toBe(0);
    const image_url = 'https://images.example.com/fox.png';
    expect(
      (await send({ image_url, mask: '', response_format: 'url' }, { to: gemini, as: account })).status,
    ).toBe(200);
  });

  test('is part of what makes two requests equal', async () => {
    const headers = { 'idempotency-key': 'masked' };
    const ask = (...more: Part[]) => send([['image', image], ...more], { headers });
    const black = buildPng({ ...SIZE, depth: 16, colour: 'rgba' });
    const [one, two] = [await ask(['mask', mask]), await ask(['mask', mask])];
    expect([one.status, two.status, two.task]).toEqual([200, 200, one.task]);
    expect((await ask(['mask', black])).status).toBe(400);
    expect((await ask()).status).toBe(400);
  });

  test('is due for removal with its task, and its name is gone when the task is erased', async () => {
    const as = await createKeyMaker(api, owner)('--scopes', 'generate,read,delete');
    const { task } = await send(
      [
        ['image', image],
        ['mask', mask],
      ],
      { as },
    );
    const [, id] = (await readTask(task)).mask.split(':');
    const { status } = await api.call(`/v1/tasks/${task}`, { as, method: 'DELETE' });
    expect(status).toBe(204);
    await eventually(async () => {
      const { rows } = await api.test.pool.query(
        'SELECT remove_at <= now() AS due FROM task_inputs WHERE id = $1',
        [id],
      );
      expect([rows, (await readTask(task)).mask]).toEqual([[{ due: true }], null]);
    });
  });
});
