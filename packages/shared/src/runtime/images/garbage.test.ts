import { randomBytes } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import sharp from 'sharp';
import { createValidator } from './create-validator.js';
import { createDecoder } from './decoder/create-decoder.js';

const validate = createValidator({ decode: createDecoder() });
const limits = { maxBytes: 5_000_000, maxPixels: 2_000_000, maxSide: 16_384 };
const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
const coarse = sharp({ create: { width: 100, height: 60, channels: 3, background: '#000', noise } });
const scene = async () =>
  sharp(await coarse.clone().png().toBuffer()).resize(1_200, 700, { kernel: 'cubic', fit: 'fill' });

const encodings = {
  'a usual one': async () => (await scene()).jpeg().toBuffer(),
  'without subsampling': async () => (await scene()).jpeg({ chromaSubsampling: '4:4:4' }).toBuffer(),
  'of the best quality': async () => (await scene()).jpeg({ quality: 98 }).toBuffer(),
  'with tables of its own': async () => (await scene()).jpeg({ optimizeCoding: true }).toBuffer(),
  'in grey': async () => (await scene()).grayscale().jpeg().toBuffer(),
  progressive: async () => (await scene()).jpeg({ progressive: true }).toBuffer(),
  'with scans of its own': async () => (await scene()).jpeg({ mozjpeg: true }).toBuffer(),
};
const at = (bytes: Buffer, marker: number): number => bytes.indexOf(Buffer.from([0xff, marker]));
const insert = (bytes: Buffer, place: number, more: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, place), more, bytes.subarray(place)]);
const refusal = { name: 'ImageError', defect: 'damaged' };

describe.each(Object.entries(encodings))('a JPEG, %s', (_, encode) => {
  test('a JPEG whose middle was overwritten is refused, wherever and with whatever', async () => {
    const sound = await encode();
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: 0.2, max: 0.7, noNaN: true }),
        fc.uint8Array({ minLength: 4_000, maxLength: 4_000 }),
        async (where, garbage) => {
          const spoiled = Buffer.from(sound);
          spoiled.set(garbage, Math.floor(sound.length * where));
          await expect(validate(spoiled, limits)).rejects.toMatchObject(refusal);
        },
      ),
      { numRuns: 12, seed: 1, endOnFailure: true },
    );
  });

  test('a JPEG whose middle is a block of zeros, or is missing, is refused', async () => {
    const sound = await encode();
    const middle = Math.floor(sound.length / 2);
    const blank = Buffer.from(sound).fill(0, middle, middle + 8_192);
    const shorter = Buffer.concat([sound.subarray(0, middle), sound.subarray(middle + 4_096)]);
    for (const spoiled of [blank, shorter]) {
      await expect(validate(spoiled, limits)).rejects.toMatchObject(refusal);
    }
  });

  test('a JPEG with what cameras write into sound ones is taken', async () => {
    const sound = await encode();
    const odd = {
      'bytes behind the end': Buffer.concat([sound, Buffer.alloc(5_000, 7)]),
      'bytes before the end': insert(sound, sound.length - 2, Buffer.alloc(7)),
      'bytes between segments': insert(sound, at(sound, 0xc4), Buffer.alloc(300, 1)),
      'bytes before the scan': insert(sound, at(sound, 0xda), Buffer.alloc(20, 1)),
      'fill bytes between segments': insert(sound, at(sound, 0xc4), Buffer.alloc(40, 0xff)),
    };
    for (const [what, bytes] of Object.entries(odd)) {
      const outcome = await validate(bytes, limits).then(
        ({ width }) => [what, width],
        (error: unknown) => [what, String(error)],
      );
      expect(outcome).toEqual([what, 1_200]);
    }
  });
});

describe('a PNG that is delivered', () => {
  const delivered = { ...limits, trustsChecksums: true };
  const refuseDecoding = createValidator({
    decode: () => Promise.reject(new Error('a sound one is decoded')),
  });
  const chunk = (type: string, content: Buffer): Buffer => {
    const frame = Buffer.alloc(12 + content.length);
    frame.writeUInt32BE(content.length, 0);
    frame.write(type, 4, 'latin1');
    content.copy(frame, 8);
    frame.writeUInt32BE(crc32(frame.subarray(4, 8 + content.length)), 8 + content.length);
    return frame;
  };
  /** The same image with other image data under right checksums. */
  const replaceData = (png: Buffer, data: Buffer): Buffer =>
    Buffer.concat([png.subarray(0, 33), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);

  test.each([
    ['of three colours', async () => (await scene()).png().toBuffer()],
    ['with transparency', async () => (await scene()).ensureAlpha(0.5).png().toBuffer()],
    ['in grey', async () => (await scene()).grayscale().png().toBuffer()],
    ['with a palette', async () => (await scene()).png({ palette: true, effort: 1 }).toBuffer()],
    ['with a profile', async () => (await scene()).withIccProfile('p3').png().toBuffer()],
  ])('a PNG that is delivered is taken by its checksums, %s', async (_, encode) => {
    expect(await refuseDecoding(await encode(), delivered)).toMatchObject({ width: 1_200, height: 700 });
  });

  test('a PNG that is delivered is decoded when anything about it is unusual', async () => {
    const interlaced = await (await scene()).png({ progressive: true }).toBuffer();
    await expect(refuseDecoding(interlaced, delivered)).rejects.toThrow('a sound one is decoded');
    expect(await validate(interlaced, delivered)).toMatchObject({ width: 1_200 });
  });

  test('a PNG that is delivered whose bytes were changed, cut or replaced is refused, wherever', async () => {
    const sound = await (await scene()).png().toBuffer();
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: 0.01, max: 0.98, noNaN: true }),
        fc.uint8Array({ minLength: 200, maxLength: 200 }),
        async (where, garbage) => {
          const at = Math.floor(sound.length * where);
          const spoiled = Buffer.from(sound);
          spoiled.set(garbage.subarray(0, sound.length - at), at);
          await expect(validate(spoiled, delivered)).rejects.toMatchObject(refusal);
          await expect(validate(sound.subarray(0, at), delivered)).rejects.toMatchObject(refusal);
        },
      ),
      { numRuns: 12, seed: 1, endOnFailure: true },
    );
  });

  test('a PNG that is delivered with right checksums around nonsense is refused', async () => {
    const sound = await (await scene()).png().toBuffer();
    const header = sound.subarray(0, 33);
    const nonsense = {
      'no zlib data': replaceData(sound, randomBytes(sound.length)),
      'too few rows': replaceData(sound, deflateSync(Buffer.alloc(40))),
      'rows of unknown filters': replaceData(sound, deflateSync(Buffer.alloc(700 * 3_601, 9), { level: 0 })),
      'no image data': Buffer.concat([header, chunk('IEND', Buffer.alloc(0))]),
      'an unknown critical chunk': Buffer.concat([
        header,
        chunk('ABCD', Buffer.alloc(9)),
        sound.subarray(33),
      ]),
    };
    for (const [what, bytes] of Object.entries(nonsense)) {
      const outcome = await validate(bytes, delivered).then(
        () => 'taken',
        (error: unknown) => (error as { defect?: string }).defect,
      );
      expect([what, outcome]).toEqual([what, 'damaged']);
    }
  });
});
