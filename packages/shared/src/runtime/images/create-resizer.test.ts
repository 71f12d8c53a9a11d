import { describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { createResizer } from './create-resizer.js';
import { createDecoder } from './decoder/create-decoder.js';
import { type Image, NAMES } from './image.js';
import { readHeader } from './read-header.js';

const resize = createResizer({ decode: createDecoder() });
const flat = (width: number, height: number, channels: 3 | 4 = 3) =>
  sharp({ create: { width, height, channels, background: '#3579' } });
/** Left half red, right half blue; a grey background would look the same from all sides. */
const halves = async (width: number, height: number) => {
  const right = await sharp({ create: { width: width / 2, height, channels: 3, background: '#00f' } })
    .png()
    .toBuffer();
  const left = sharp({ create: { width, height, channels: 3, background: '#f00' } });
  return left.composite([{ input: right, left: width / 2, top: 0 }]).removeAlpha();
};
const gps = { IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } };
const xmp = '<x:xmpmeta xmlns:x="adobe:ns:meta/"><a>Home</a></x:xmpmeta>';
/** Image as a validator returns it. */
async function named(bytes: Buffer): Promise<Image> {
  const { format, width, height } = await readHeader(bytes);
  return { bytes, width, height, ...NAMES[format] };
}
/** Returns what a provider sees that reads pixels and no tags. */
async function look(bytes: Buffer) {
  const { data, info } = await sharp(bytes, { autoOrient: false })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const pixel = (x: number, y: number) => {
    const at = (y * info.width + x) * info.channels;
    return [...data.subarray(at, at + 3)].map((sample) => (sample > 128 ? 1 : 0)).join('');
  };
  const { width, height } = info;
  return { width, height, top: pixel(width / 2, 4), bottom: pixel(width / 2, height - 5) };
}
const clean = { space: 'srgb', exif: undefined, xmp: undefined, iptc: undefined, orientation: undefined };
const readTags = async (bytes: Buffer) => {
  const { space, exif, xmp: packet, iptc, orientation } = await sharp(bytes).metadata();
  return { space, exif, xmp: packet, iptc, orientation };
};
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

  test.each([
    ['jpeg', 64, 48],
    ['jpeg', 640, 480],
    ['webp', 64, 48],
    ['webp', 640, 480],
    ['png', 640, 480],
  ] as const)('an image for a provider is turned upright, as %s of %d×%d', async (format, width, height) => {
    const turned = await (await halves(width, height))
      .toFormat(format)
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const image = await named(turned);
    const upright = await resize(image);
    expect(upright).toMatchObject({ width: height, height: width });
    // Turned clockwise by a quarter: what was on the left is on top.
    expect(await look(upright.bytes)).toEqual({ width: height, height: width, top: '100', bottom: '001' });
    expect(await readTags(upright.bytes)).toEqual(clean);
    expect(upright.contentType === 'image/png').toBe(format === 'png');
  });

  test.each(['jpeg', 'webp', 'png'] as const)(
    'an image for a provider says nothing about where it was taken, as %s',
    async (format) => {
      const plain = (await halves(640, 480)).toFormat(format);
      for (const told of [plain.clone().withExif(gps), plain.clone().withXmp(xmp)]) {
        const image = await named(await told.toBuffer());
        const { bytes } = await resize(image);
        expect(await readTags(image.bytes)).not.toEqual(clean);
        expect(await readTags(bytes)).toEqual(clean);
        expect(await look(bytes)).toMatchObject({ width: 640, height: 480 });
      }
    },
  );

  test.each([
    ['in CMYK', async () => (await halves(640, 480)).toColourspace('cmyk').jpeg().toBuffer(), 'image/jpeg'],
    ['in grey', async () => (await halves(640, 480)).toColourspace('b-w').png().toBuffer(), 'image/png'],
    ['in P3', async () => (await halves(640, 480)).withIccProfile('p3').png().toBuffer(), 'image/png'],
  ])('an image for a provider is in sRGB, also one %s', async (_what, make, contentType) => {
    const { bytes, ...rest } = await resize(await named(await make()));
    expect(rest).toMatchObject({ width: 640, height: 480, contentType });
    expect(await sharp(bytes).metadata()).toMatchObject({ space: 'srgb', channels: 3, hasProfile: false });
  });

  test.each(['jpeg', 'webp', 'png'] as const)(
    'an image for a provider that is upright, in sRGB and tells nothing stays as it is, as %s',
    async (format) => {
      const plain = (await halves(640, 480)).toFormat(format);
      for (const sound of [plain.clone(), plain.clone().withIccProfile('srgb')]) {
        const image = await named(await sound.toBuffer());
        expect(await resize(image)).toBe(image);
      }
    },
  );

  test('an image for a provider that grows beyond 2 MiB as PNG becomes a JPEG', async () => {
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
    const bytes = await sharp({
      create: { width: 1_400, height: 1_400, channels: 3, background: '#000', noise },
    })
      .png({ palette: true, colours: 64, effort: 1 })
      .withExif(gps)
      .toBuffer();
    expect(bytes.length).toBeLessThan(2 * 1024 * 1024);
    expect(await resize(await named(bytes))).toMatchObject({ contentType: 'image/jpeg' });
  });
});
