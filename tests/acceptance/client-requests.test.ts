import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { type Customer, openSharedScene, type Scene } from './support/scene.js';

let scene: Scene;
let customer: Customer;
/** An upright photo, and a mask of its size whose middle is transparent. */
let photo: Buffer;
let mask: Buffer;

beforeAll(async () => {
  scene = await openSharedScene();
  customer = await scene.customer();
  const [width, height] = [60, 90];
  photo = await sharp({ create: { width, height, channels: 3, background: '#804020' } })
    .png()
    .toBuffer();
  const hole = { create: { width: 20, height: 30, channels: 4, background: '#0000' } } as const;
  mask = await sharp({ create: { width, height, channels: 4, background: '#ffff' } })
    .composite([{ input: await sharp(hole).png().toBuffer(), blend: 'dest-out' }])
    .png()
    .toBuffer();
}, 700_000);
afterAll(() => scene.audit());

interface Answer {
  readonly data?: readonly { readonly b64_json?: string; readonly url?: string }[];
  readonly output_format?: string;
  readonly size?: string;
  readonly error?: { readonly message: string };
}
interface Drawn {
  /** Width over height. */
  readonly shape: number;
  readonly status: number;
  readonly images: number;
  readonly error: string | undefined;
}

async function post(path: 'generations' | 'edits', body: string | FormData): Promise<Drawn> {
  const response = await fetch(`${scene.product.url}/openai/v1/images/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${customer.key}`,
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
    },
    body,
  });
  const { data = [], output_format, size, error } = (await response.json()) as Answer;
  const shown = await Promise.all(
    data.map(async ({ b64_json, url }) => {
      const bytes =
        url === undefined
          ? Buffer.from(b64_json ?? '', 'base64')
          : Buffer.from(await (await fetch(url)).arrayBuffer());
      const { width, height, format } = await sharp(bytes).metadata();
      return { size: `${width}x${height}`, format, shape: width / height };
    }),
  );
  for (const image of shown) {
    expect({ size: image.size, format: image.format }).toEqual({ size, format: output_format });
  }
  return {
    status: response.status,
    images: shown.length,
    shape: shown[0]?.shape ?? 0,
    error: error?.message,
  };
}

type Files = Readonly<Record<string, 'photo' | 'mask'>>;
const draw = (fields: Readonly<Record<string, unknown>>): Promise<Drawn> =>
  post('generations', JSON.stringify({ prompt: 'a red fox', ...fields }));
const edit = (fields: Readonly<Record<string, string>>, files: Files): Promise<Drawn> => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ prompt: 'at night', ...fields })) {
    form.append(name, value);
  }
  for (const [name, kind] of Object.entries(files)) {
    const bytes = new Uint8Array(kind === 'mask' ? mask : photo);
    form.append(name, new Blob([bytes], { type: 'image/png' }), `${kind}.png`);
  }
  return post('edits', form);
};

const SQUARE = 1;
const b64 = { response_format: 'b64_json' };

describe('the requests that clients send by default are drawn', () => {
  test.each<[string, Readonly<Record<string, unknown>>, number]>([
    ['Open WebUI', { model: 'dall-e-2', n: 1, size: '512x512', ...b64 }, SQUARE],
    ['Open WebUI with another model', { model: 'gpt-image-1', n: 1, size: 'auto' }, 16 / 9],
    [
      'LibreChat',
      {
        model: 'gpt-image-1',
        n: 1,
        size: 'auto',
        quality: 'auto',
        background: 'auto',
        output_format: 'png',
      },
      16 / 9,
    ],
    [
      'n8n with dall-e-3',
      { model: 'dall-e-3', n: 1, size: '1024x1024', quality: 'standard', style: 'vivid', ...b64 },
      SQUARE,
    ],
    [
      'n8n with dall-e-3 in HD',
      { model: 'dall-e-3', size: '1792x1024', quality: 'hd', style: 'natural', response_format: 'url' },
      16 / 9,
    ],
    ['n8n with gpt-image-1', { model: 'gpt-image-1', n: 1, size: '1024x1024', quality: 'medium' }, SQUARE],
    ['InvokeAI', { n: 1, size: '1328x800', ...b64 }, 16 / 9],
    ['the AI SDK', { model: 'nanobanana', n: 2, size: '1024x1536', ...b64 }, 2 / 3],
    [
      "OpenAI's SDKs with all fields of gpt-image-1",
      {
        model: 'gpt-image-1',
        size: '1536x1024',
        quality: 'high',
        moderation: 'low',
        output_format: 'webp',
        output_compression: 80,
        background: 'opaque',
        user: 'user-1',
      },
      3 / 2,
    ],
    ["OpenAI's SDKs with gpt-image-1.5", { model: 'gpt-image-1.5', quality: 'low' }, 16 / 9],
  ])('%s', async (_, fields, shape) => {
    const drawn = await draw(fields);
    expect(drawn).toMatchObject({ status: 200, error: undefined, images: fields.n ?? 1 });
    expect(drawn.shape).toBeCloseTo(shape, 1);
  });

  test.each<[string, Readonly<Record<string, string>>, Files, number]>([
    ['Open WebUI', { model: 'dall-e-2', n: '1', size: '512x512', ...b64 }, { 'image[]': 'photo' }, SQUARE],
    ['LibreChat', { model: 'gpt-image-1', quality: 'auto', size: 'auto' }, { 'image[]': 'photo' }, 2 / 3],
    [
      'n8n',
      {
        model: 'gpt-image-1',
        n: '1',
        size: '1024x1024',
        quality: 'auto',
        background: 'auto',
        output_format: 'png',
        output_compression: '100',
        input_fidelity: 'low',
      },
      { 'image[]': 'photo' },
      SQUARE,
    ],
    ['InvokeAI', { n: '1', size: '800x1328', ...b64 }, { image: 'photo' }, 9 / 16],
    ['the AI SDK', { model: 'nanobanana', n: '1' }, { image: 'photo', mask: 'mask' }, 2 / 3],
    [
      "OpenAI's SDKs with a mask",
      { model: 'gpt-image-1', input_fidelity: 'high', quality: 'high' },
      { image: 'photo', mask: 'mask' },
      2 / 3,
    ],
  ])('%s, an edit', async (_, fields, files, shape) => {
    const drawn = await edit(fields, files);
    expect(drawn).toMatchObject({ status: 200, error: undefined, images: 1 });
    expect(drawn.shape).toBeCloseTo(shape, 1);
  });
});
