import { describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { createSandbox } from './create-sandbox.js';
import { layoutTiles, type RenderRequest, renderImage } from './render-image.js';

const request: RenderRequest = {
  prompt: 'a red fox',
  negativePrompt: null,
  slot: 0,
  inputs: [],
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
  const ask = async (prompt: string, slots: number[], earlierCalls = 0) => {
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
    const found: (number | undefined)[] = [];
    const scope = { signal: new AbortController().signal };
    for await (const event of createSandbox().generate({ ...request, ...more }, scope)) {
      if (event.type === 'image') {
        found.push(event.slot);
      }
    }
    return found;
  };

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
