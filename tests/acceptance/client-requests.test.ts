import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { type OwnProduct, startProduct } from './support/product/product.js';
import { type Customer, openScene, openSharedScene, type Scene } from './support/scene.js';
import { startUpstreams, type Upstreams } from './support/servers/stub-upstreams.js';

/** Provider that draws for a gateway: the sandbox, or one alone. */
type Drawer = 'sandbox' | 'gemini' | 'openai';
const ALONE = ['gemini', 'openai'] as const;

let upstreams: Upstreams;
const products: OwnProduct[] = [];
const scenes = new Map<Drawer, { readonly scene: Scene; readonly customer: Customer }>();
/** An upright photo, and a mask of its size whose middle is transparent. */
let photo: Buffer;
let mask: Buffer;

beforeAll(async () => {
  const open = async (drawer: Drawer, scene: Scene) =>
    scenes.set(drawer, { scene, customer: await scene.customer() });
  upstreams = await startUpstreams();
  await open('sandbox', await openSharedScene());
  for (const provider of ALONE) {
    const product = await startProduct({ settings: upstreams.settings(provider) });
    products.push(product);
    await open(provider, await openScene(product));
  }
  const [width, height] = [60, 90];
  photo = await sharp({ create: { width, height, channels: 3, background: '#804020' } })
    .png()
    .toBuffer();
  const hole = { create: { width: 20, height: 30, channels: 4, background: '#0000' } } as const;
  mask = await sharp({ create: { width, height, channels: 4, background: '#ffff' } })
    .composite([{ input: await sharp(hole).png().toBuffer(), blend: 'dest-out' }])
    .png()
    .toBuffer();
}, 900_000);
afterAll(async () => {
  try {
    for (const { scene } of scenes.values()) {
      await scene.audit();
    }
  } finally {
    await Promise.all(products.map((product) => product.discard()));
    await upstreams.close();
  }
});

interface Answer {
  readonly data?: readonly { readonly b64_json?: string; readonly url?: string }[];
  readonly output_format?: string;
  readonly size?: string;
  readonly error?: { readonly message: string; readonly param: string | null };
}
interface Drawn {
  /** Width over height. */
  readonly shape: number;
  readonly status: number;
  readonly images: number;
  readonly error: string | undefined;
  readonly param: string | null;
  /** Wishes that were not used. */
  readonly unused: string | null;
}

async function post(drawer: Drawer, path: 'generations' | 'edits', body: string | FormData): Promise<Drawn> {
  const opened = scenes.get(drawer);
  if (!opened) {
    throw new Error(`nothing is open for ${drawer}`);
  }
  const { scene, customer } = opened;
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
    param: error?.param ?? null,
    unused: response.headers.get('x-gateway-unused'),
  };
}

type Files = Readonly<Record<string, 'photo' | 'mask'>>;
const draw = (drawer: Drawer, fields: Readonly<Record<string, unknown>>): Promise<Drawn> =>
  post(drawer, 'generations', JSON.stringify({ prompt: 'a red fox', ...fields }));
const edit = (drawer: Drawer, fields: Readonly<Record<string, string>>, files: Files): Promise<Drawn> => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ prompt: 'at night', ...fields })) {
    form.append(name, value);
  }
  for (const [name, kind] of Object.entries(files)) {
    const bytes = new Uint8Array(kind === 'mask' ? mask : photo);
    form.append(name, new Blob([bytes], { type: 'image/png' }), `${kind}.png`);
  }
  return post(drawer, 'edits', form);
};

/** The stubs of the providers draw every image a few pixels high; the sandbox draws the shape. */
const expectShape = (drawer: Drawer, drawn: Drawn, shape: number): void => {
  if (drawer === 'sandbox') {
    expect(drawn.shape).toBeCloseTo(shape, 1);
  }
};

const SQUARE = 1;
const b64 = { response_format: 'b64_json' };

describe.each<Drawer>(['sandbox', ...ALONE])(
  'the requests that clients send by default, drawn by %s',
  (drawer) => {
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
      const drawn = await draw(drawer, fields);
      expect(drawn).toMatchObject({ status: 200, error: undefined, images: fields.n ?? 1 });
      expectShape(drawer, drawn, shape);
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
      const drawn = await edit(drawer, fields, files);
      if (drawer === 'gemini' && 'mask' in files) {
        // Gemini takes no mask, and one is never left out.
        expect(drawn).toMatchObject({ status: 400, images: 0, param: 'mask' });
        return;
      }
      expect(drawn).toMatchObject({ status: 200, error: undefined, images: 1 });
      expectShape(drawer, drawn, shape);
    });
  },
);

test.each<[Drawer, string | null]>([
  // The built-in routes to OpenAI fix quality and moderation.
  ['openai', 'moderation, quality, seed, style'],
  ['gemini', 'moderation, output_format, quality, style'],
])('wishes that %s has no field for are named in the answer, and steer nothing', async (drawer, unused) => {
  const wishes = { quality: 'high', style: 'vivid', moderation: 'low', output_format: 'webp', seed: 7 };
  const drawn = await draw(drawer, { model: 'gpt-image-1', size: '1024x1024', ...wishes });
  expect(drawn).toMatchObject({ status: 200, images: 1, unused });
});
