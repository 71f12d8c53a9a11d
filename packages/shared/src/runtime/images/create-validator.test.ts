import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import sharp from 'sharp';
import { createValidator } from './create-validator.js';
import { createDecoder } from './decoder/create-decoder.js';

const validate = createValidator({ decode: createDecoder() });
const limits = { maxBytes: 5_000_000, maxPixels: 2_000_000, maxSide: 16_384 };
const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
// Large enough that a decoder which was asked for less than the whole image would leave the rest unread.
const source = () => sharp({ create: { width: 1_600, height: 900, channels: 3, background: '#000', noise } });
const kinds = {
  png: () => source().png().toBuffer(),
  'interlaced png': () => source().png({ progressive: true }).toBuffer(),
  jpeg: () => source().jpeg().toBuffer(),
  'progressive jpeg': () => source().jpeg({ progressive: true }).toBuffer(),
  webp: () => source().webp().toBuffer(),
  'lossless webp': () => source().webp({ lossless: true }).toBuffer(),
};

describe.each(Object.entries(kinds))('%s', (kind, make) => {
  test('an image is measured and named by its content', async () => {
    const name = kind.split(' ').at(-1);
    expect(await validate(await make(), limits)).toMatchObject({
      width: 1_600,
      height: 900,
      contentType: `image/${name}`,
      extension: name === 'jpeg' ? 'jpg' : name,
    });
  });

  test('an image that was cut anywhere is refused', async () => {
    const bytes = await make();
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: bytes.length }), async (cut) => {
        const left = bytes.subarray(0, bytes.length - cut);
        // The first bytes name the format.
        const defect = left.length < 12 ? expect.stringMatching(/^(damaged|not-an-image)$/) : 'damaged';
        await expect(validate(left, limits)).rejects.toMatchObject({ defect });
      }),
      { numRuns: 25, examples: [[1], [2], [12], [40]] },
    );
  });
});

describe('refused by its limits', () => {
  test('too many bytes, before anything is looked at', async () => {
    await expect(validate(Buffer.alloc(11), { ...limits, maxBytes: 10 })).rejects.toMatchObject({
      defect: 'too-large',
    });
  });

  test('too many pixels, before anything is decoded', async () => {
    const bomb = await sharp({ create: { width: 12_000, height: 12_000, channels: 3, background: '#000' } })
      .png({ compressionLevel: 9 })
      .toBuffer();
    const before = process.memoryUsage.rss();
    await expect(validate(bomb, limits)).rejects.toMatchObject({ defect: 'too-many-pixels' });
    expect(process.memoryUsage.rss() - before).toBeLessThan(50e6);
  });
});

test('no bytes at all make it throw anything but its own refusal', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), async (bytes) => {
      await expect(validate(Buffer.from(bytes), limits)).rejects.toMatchObject({ name: 'ImageError' });
    }),
  );
});
