import type { AspectRatio } from '@image-gateway/shared/contract';
import { describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { createSandbox } from './create-sandbox.js';
import { layoutTiles, type RenderRequest, renderImage } from './render-image.js';

const request: RenderRequest = {
  prompt: 'a red fox',
  negativePrompt: null,
  slot: 0,
  inputs: [],
  fields: {},
  aspectRatio: '16:9',
  resolution: '1k',
};
const plain = async (background: string) => ({
  bytes: await sharp({ create: { width: 300, height: 200, channels: 3, background } })
    .png()
    .toBuffer(),
  ...({ contentType: 'image/png', width: 300, height: 200 } as const),
});
const means = async (bytes: Buffer) => (await sharp(bytes).stats()).channels.map(({ mean }) => mean);

describe('rendered images', () => {
  test.each([
    ['16:9', '1k', 1280, 720],
    ['9:16', '1k', 720, 1280],
    ['16:9', '2k', 2560, 1440],
    ['9:16', '2k', 1440, 2560],
    ['16:9', '4k', 3840, 2160],
    ['9:16', '4k', 2160, 3840],
  ] as const)(
    'images of the sandbox in %s at %s have %d×%d pixels',
    async (aspectRatio, resolution, width, height) => {
      const bytes = await renderImage({ ...request, aspectRatio, resolution });
      expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width, height });
    },
  );

  test('rendered images are the same for the same request, and differ in prompt, number and what to avoid', async () => {
    const variants = [
      request,
      { ...request, prompt: 'a red foy' },
      { ...request, slot: 1 },
      { ...request, negativePrompt: 'people' },
      { ...request, inputs: [await plain('#fff')] },
    ];
    const images = await Promise.all(variants.map((one) => renderImage(one)));
    expect(new Set(images.map((bytes) => bytes.toString('base64'))).size).toBe(5);
    expect((await renderImage(request)).equals(images[0] ?? Buffer.alloc(0))).toBe(true);
  });

  test('rendered images of an edit show every input image', async () => {
    const [red, blue, green] = await Promise.all(['#e01010', '#1010e0', '#10e010'].map(plain));
    if (!red || !blue || !green) {
      throw new Error('no inputs');
    }
    const [fromRed, fromBlue] = await Promise.all([
      renderImage({ ...request, inputs: [red] }).then(means),
      renderImage({ ...request, inputs: [blue] }).then(means),
    ]);
    expect((fromRed[0] ?? 0) - (fromBlue[0] ?? 0)).toBeGreaterThan(40);
    expect((fromBlue[2] ?? 0) - (fromRed[2] ?? 0)).toBeGreaterThan(40);
    for (const aspectRatio of ['16:9', '9:16'] as const) {
      const inputs = [red, blue, green, red, blue, green, red, blue, green];
      const bytes = await renderImage({ ...request, aspectRatio, inputs });
      const { width, height } = await sharp(bytes).metadata();
      for (const [i, { left, top }] of layoutTiles({ width, height }, 9).entries()) {
        const patch = await sharp(bytes)
          .extract({ left: left + 20, top: top + 20, width: 30, height: 30 })
          .toBuffer();
        const [r = 0, g = 0, b = 0] = await means(patch);
        expect([r, b, g].indexOf(Math.max(r, b, g))).toBe(i % 3);
      }
    }
  });
});

describe('the sandbox', () => {
  interface Asked {
    readonly prompt: string;
    readonly slots: number[];
    readonly earlierCalls?: number;
    readonly aspectRatio?: AspectRatio;
  }
  const draw = async ({ prompt, slots, earlierCalls = 0, aspectRatio = '16:9' }: Asked) => {
    const more = {
      taskId: 't',
      callId: 'call-1',
      model: 'm',
      key: null,
      job: null,
      slots,
      earlierCalls,
      prompt,
      takesResolution: true,
      fields: {},
      options: {},
    };
    const found: { slot: number | undefined; bytes: Buffer }[] = [];
    const scope = { signal: new AbortController().signal };
    for await (const event of createSandbox().generate({ ...request, ...more, aspectRatio }, scope)) {
      if (event.type === 'image') {
        found.push({ slot: event.slot, bytes: event.bytes });
      }
    }
    return found;
  };
  const ask = async (prompt: string, slots: number[], earlierCalls = 0): Promise<(number | undefined)[]> =>
    (await draw({ prompt, slots, earlierCalls })).map(({ slot }) => slot);

  test.each([
    ['16:9', 64],
    ['4:3', 64],
    ['21:9', 64],
    ['9:16', 36],
    ['3:4', 36],
  ] as const)('the prepared image for %s lies or stands as asked', async (aspectRatio, width) => {
    const [image] = await draw({ prompt: 'sandbox:fixed', slots: [0], aspectRatio });
    expect((await sharp(image?.bytes).metadata()).width).toBe(width);
  });

  test('the sandbox delivers what is asked, and never more than outputs says over all calls', async () => {
    expect(await ask('sandbox:fixed', [0, 1, 3])).toEqual([0, 1, 3]);
    expect(await ask('sandbox:fixed sandbox:outputs=2', [0, 1, 2, 3])).toEqual([0, 1]);
    expect(await ask('sandbox:fixed sandbox:outputs=2', [2, 3])).toEqual([]);
  });

  test.each([
    ['moderation', 'moderation'],
    ['invalid', 'invalid-input'],
    ['upstream', 'overload'],
    ['once', 'overload'],
  ])('the sandbox fails as told: %s', async (directive, failure) => {
    await expect(ask(`sandbox:fail=${directive}`, [0])).rejects.toMatchObject({ failure });
  });

  test('the sandbox fails once for the first call of the task only', async () => {
    expect(await ask('sandbox:fail=once sandbox:fixed', [0], 1)).toEqual([0]);
  });

  test('the sandbox takes as long as delay says', async () => {
    const at = performance.now();
    await ask('sandbox:delay=120 sandbox:fixed', [0]);
    expect(performance.now() - at).toBeGreaterThanOrEqual(118);
  });
});

describe('optional fields at the sandbox', () => {
  const render = (fields: RenderRequest['fields'], more: Partial<RenderRequest> = {}) =>
    renderImage({ ...request, ...more, fields });

  test('optional fields at the sandbox: the same seed draws the same image in any place, another one does not', async () => {
    const [first, again, other] = await Promise.all([
      render({ seed: 7 }),
      render({ seed: 7 }, { slot: 3 }),
      render({ seed: 8 }),
    ]);
    expect(first.equals(again)).toBe(true);
    expect(first.equals(other)).toBe(false);
  });

  test('optional fields at the sandbox: each quality and each style draws another image, medium the usual one', async () => {
    const usual = await render({});
    const images = await Promise.all([
      ...(['low', 'high', 'xhigh', 'max'] as const).map((quality) => render({ quality })),
      ...['vivid', 'natural', 'odd'].map((style) => render({ style })),
    ]);
    expect(new Set([usual, ...images].map((bytes) => bytes.toString('base64'))).size).toBe(8);
    expect((await render({ quality: 'medium' })).equals(usual)).toBe(true);
  });

  test.each(['png', 'jpeg', 'webp'] as const)(
    'optional fields at the sandbox: %s is drawn as asked',
    async (format) => {
      expect(await sharp(await render({ outputFormat: format })).metadata()).toMatchObject({
        format,
        width: 1_280,
      });
    },
  );

  test('optional fields at the sandbox: a higher compression is a larger file', async () => {
    const [small, large] = await Promise.all(
      [10, 95].map((outputCompression) => render({ outputFormat: 'webp', outputCompression })),
    );
    expect(small?.length).toBeLessThan((large?.length ?? 0) / 2);
  });

  test.each([undefined, 'webp'] as const)(
    'optional fields at the sandbox: a transparent background is transparent (%s)',
    async (outputFormat) => {
      const bytes = await render({ background: 'transparent', ...(outputFormat && { outputFormat }) });
      const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
      const alpha = (x: number, y: number) => data[(y * info.width + x) * info.channels + 3];
      expect(info.channels).toBe(4);
      expect([alpha(0, 0), alpha(640, 360)]).toEqual([0, 255]);
    },
  );

  test('optional fields at the sandbox: a masked part changes and the rest stays', async () => {
    const input = await plain('#e01010');
    const bytes = await sharp({
      create: { width: 300, height: 200, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 1 } },
    })
      .composite([
        {
          input: { create: { width: 150, height: 200, channels: 4, background: '#fff' } },
          left: 150,
          top: 0,
          blend: 'dest-out',
        },
      ])
      .png()
      .toBuffer();
    const mask = { ...input, bytes };
    const image = await render({ mask, outputFormat: 'png' }, { inputs: [input] });
    const half = async (left: number) =>
      means(await sharp(image).extract({ left, top: 0, width: 640, height: 720 }).toBuffer());
    const distance = (colour: readonly number[]) =>
      Math.hypot(...[0xe0, 0x10, 0x10].map((value, at) => value - (colour[at] ?? 0)));
    expect(distance(await half(0))).toBeLessThan(1);
    expect(distance(await half(640))).toBeGreaterThan(10);
  });
});
