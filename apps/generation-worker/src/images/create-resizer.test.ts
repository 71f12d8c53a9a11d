import { describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { createResizer } from './create-resizer.js';
import { createDecoder } from './decoder/create-decoder.js';

const resize = createResizer({ decode: createDecoder() });
const flat = (width: number, height: number, channels: 3 | 4 = 3) =>
  sharp({ create: { width, height, channels, background: '#3579' } });
const png = { contentType: 'image/png', extension: 'png' } as const;

describe('create resizer', () => {
  test('an image for a provider of up to 2048 pixels stays as it is, byte for byte', async () => {
    const image = { ...png, bytes: await flat(2_048, 100).png().toBuffer(), width: 2_048, height: 100 };
    expect(await resize(image)).toBe(image);
  });

  test.each([
    [4_096, 1_024, 2_048, 512],
    [1_000, 8_000, 256, 2_048],
  ])('an image for a provider of %d×%d is scaled down to %d×%d', async (width, height, toWidth, toHeight) => {
    const bytes = await flat(width, height).png().toBuffer();
    const resized = await resize({ ...png, bytes, width, height });
    expect(resized).toMatchObject({ contentType: 'image/jpeg', width: toWidth, height: toHeight });
    expect(await sharp(resized.bytes).metadata()).toMatchObject({
      format: 'jpeg',
      width: toWidth,
      height: toHeight,
    });
  });

  test('an image for a provider keeps its transparency', async () => {
    const bytes = await flat(3_000, 30, 4).png().toBuffer();
    expect(await resize({ ...png, bytes, width: 3_000, height: 30 })).toMatchObject({
      contentType: 'image/png',
    });
  });

  test('an image for a provider is turned upright when it is scaled, and says nothing any more about where it was taken', async () => {
    const bytes = await flat(4_000, 1_000).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const upright = await resize({
      contentType: 'image/jpeg',
      extension: 'jpg',
      bytes,
      width: 4_000,
      height: 1_000,
    });
    expect(upright).toMatchObject({ width: 512, height: 2_048 });
    expect((await sharp(upright.bytes).metadata()).exif).toBeUndefined();
  });
});
