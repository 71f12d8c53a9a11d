import type { Image } from '@image-gateway/shared/images';
import { describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { fitMask } from './fit-mask.js';

interface Size {
  readonly width: number;
  readonly height: number;
}

const toImage = (bytes: Buffer, { width, height }: Size, format: 'png' | 'webp' | 'jpg' = 'png'): Image => {
  const names = { png: 'image/png', webp: 'image/webp', jpg: 'image/jpeg' } as const;
  return { bytes, width, height, contentType: names[format], extension: format };
};
/** Draws a mask whose left half is transparent. */
const drawMask = async (size: Size): Promise<Image> => {
  const hole = {
    create: { width: size.width / 2, height: size.height, channels: 4, background: '#fff' },
  } as const;
  const bytes = await sharp({ create: { ...size, channels: 4, background: '#000' } })
    .composite([{ input: hole, left: 0, top: 0, blend: 'dest-out' }])
    .png()
    .toBuffer();
  return toImage(bytes, size);
};
const drawPhoto = async (size: Size, orientation: number): Promise<Image> => {
  const image = sharp({ create: { ...size, channels: 3, background: '#888' } });
  return toImage(await image.withMetadata({ orientation }).jpeg().toBuffer(), size, 'jpg');
};
/** Names the quarter of an image that is transparent: its middle at each side. */
const findHole = async ({ bytes, width, height }: { bytes: Buffer } & Size): Promise<string[]> => {
  const alpha = await sharp(bytes).extractChannel('alpha').raw().toBuffer();
  const at = (x: number, y: number): boolean => alpha[y * width + x] === 0;
  const [x, y] = [Math.floor(width / 2), Math.floor(height / 2)];
  const sides = { left: at(1, y), right: at(width - 2, y), top: at(x, 1), bottom: at(x, height - 2) };
  return Object.entries(sides).flatMap(([side, isHole]) => (isHole ? [side] : []));
};
const fit = (given: Image, source: Image, image: Size, scaled = given) =>
  fitMask({ given, scaled }, { source, image });
const lying: Size = { width: 40, height: 20 };
const standing: Size = { width: 20, height: 40 };

describe('the mask of an edit', () => {
  test.each([
    [1, lying, ['left']],
    [2, lying, ['right']],
    [3, lying, ['right']],
    [6, standing, ['top']],
    [8, standing, ['bottom']],
  ] as const)(
    'the mask of an edit turns with its image (orientation %i)',
    async (orientation, upright, side) => {
      const mask = await fit(await drawMask(lying), await drawPhoto(lying, orientation), upright);
      expect(mask).toMatchObject({ ...upright, contentType: 'image/png' });
      expect(
        (await findHole(mask)).filter((one) => ['left', 'right'].includes(one) === (upright === lying)),
      ).toEqual(side);
    },
  );

  test('the mask of an edit that was drawn over the upright image is not turned again', async () => {
    const mask = await fit(await drawMask(standing), await drawPhoto(lying, 6), standing);
    expect(await findHole(mask)).toContain('left');
  });

  test('the mask of an edit has the size of the scaled image', async () => {
    const mask = await fit(await drawMask(lying), await drawPhoto(lying, 1), { width: 20, height: 10 });
    expect(await sharp(mask.bytes).metadata()).toMatchObject({
      width: 20,
      height: 10,
      hasAlpha: true,
      format: 'png',
    });
    expect(await findHole(mask)).toContain('left');
  });

  test('the mask of an edit may be a WebP image', async () => {
    const { bytes } = await drawMask(lying);
    const webp = toImage(await sharp(bytes).webp({ lossless: true }).toBuffer(), lying, 'webp');
    expect(await findHole(await fit(webp, await drawPhoto(lying, 1), lying))).toContain('left');
  });

  test.each([
    [
      'another size',
      () => drawMask({ width: 42, height: 20 }),
      'mask: must have the size of the first image',
    ],
    ['the size of another turn', () => drawMask(standing), 'mask: must have the size of the first image'],
    ['no alpha channel', () => drawPhoto(lying, 1), 'mask: must be a PNG or WebP with an alpha channel'],
  ])('the mask of an edit with %s fails the task', async (_kind, draw, text) => {
    await expect(fit(await draw(), await drawPhoto(lying, 1), lying)).rejects.toMatchObject({
      reason: { failure: 'input_image', text },
    });
  });
});
