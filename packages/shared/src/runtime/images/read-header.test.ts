import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPng, inflatingChunk, pngChunk } from '@image-gateway/testing';
import { describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { DECODER_BOUNDS } from './decoder/create-decoder.js';
import { estimateMemory } from './decoder/estimate-memory.js';
import { ImageError } from './image.js';
import { readHeader } from './read-header.js';

const MIB = 1024 * 1024;
const flat = (width: number, height: number, channels: 3 | 4 = 3) =>
  sharp({ create: { width, height, channels, background: '#3579' } });
const rgb = { width: 800, height: 600, depth: 8, colour: 'rgb' } as const;
const estimate = async (bytes: Buffer | Promise<Buffer>) =>
  estimateMemory('validate', await readHeader(await bytes)) / MIB;

describe('the header of an image', () => {
  test('the header of an image says that an interlaced PNG, a progressive JPEG and a WebP are held whole, and others row by row', async () => {
    const readWholePixelBytes = async (bytes: Buffer) => (await readHeader(bytes)).wholePixelBytes;
    const rgba16 = { ...rgb, depth: 16, colour: 'rgba' } as const;
    expect(await readWholePixelBytes(buildPng(rgba16))).toBe(0);
    expect(await readWholePixelBytes(buildPng({ ...rgba16, interlaced: true }))).toBe(8);
    expect(await readWholePixelBytes(await flat(80, 60).jpeg().toBuffer())).toBe(0);
    expect(await readWholePixelBytes(await flat(80, 60).jpeg({ progressive: true }).toBuffer())).toBe(3);
    const options = { progressive: true, chromaSubsampling: '4:4:4' };
    expect(await readWholePixelBytes(await flat(80, 60).jpeg(options).toBuffer())).toBe(6);
    expect(await readWholePixelBytes(await flat(80, 60, 4).webp().toBuffer())).toBe(8);
  });

  test('the header of an image counts the transparency of a palette or of one colour as a channel', async () => {
    const palette = await flat(80, 60, 4).png({ palette: true }).toBuffer();
    expect(palette.includes('tRNS')).toBe(true);
    expect((await readHeader(palette)).pixelBytes).toBe(4);
  });

  test.each(['iCCP', 'zTXt', 'iTXt'] as const)(
    'the header of an image counts a large %s that inflates in memory',
    async (type) => {
      const usual = buildPng({ ...rgb, chunks: [inflatingChunk(type, 100_000)] });
      const bomb = buildPng({ ...rgb, chunks: [inflatingChunk(type, 100 * MIB)] });
      expect((await readHeader(usual)).hasCostlyMetadata).toBe(false);
      expect((await readHeader(bomb)).hasCostlyMetadata).toBe(true);
    },
  );

  test('the header of an image refuses more chunks than any encoder writes, and does not walk through all of them', async () => {
    const chunks = Array<Buffer>(400_000).fill(pngChunk('tEXt', Buffer.from('x\0y')));
    await expect(readHeader(buildPng({ ...rgb, chunks }))).rejects.toThrow(ImageError);
  });

  test('the header of an image refuses an animated PNG and an animated WebP', async () => {
    const frames = await Promise.all(['#f00', '#0f0'].map((background) => solid(background)));
    const webp = await sharp(frames, { join: { animated: true } })
      .webp()
      .toBuffer();
    const refusal = { name: 'ImageError', defect: 'animated' };
    await expect(readHeader(buildPng({ ...rgb, chunks: [frameCount(2)] }))).rejects.toMatchObject(refusal);
    await expect(readHeader(webp)).rejects.toMatchObject(refusal);
  });

  test('the header of an image takes an animation of one frame, which is a still image', async () => {
    const single = readFileSync(join(import.meta.dirname, '../../../test/images/apng-1-frame.png'));
    expect(await readHeader(single)).toMatchObject({ format: 'png', width: 640, height: 480 });
    expect(await readHeader(buildPng({ ...rgb, chunks: [frameCount(1)] }))).toMatchObject({ format: 'png' });
    const webp = animate(await flat(80, 60).webp().toBuffer());
    expect((await sharp(webp).metadata()).loop).toBe(0);
    expect(await readHeader(webp)).toMatchObject({ format: 'webp', width: 80, height: 60 });
  });

  test('the header of an image passes over a number of frames that comes too late to count', async () => {
    const png = buildPng(rgb);
    const end = png.lastIndexOf('IEND') - 4;
    const late = Buffer.concat([png.subarray(0, end), frameCount(2), png.subarray(end)]);
    expect(await readHeader(late)).toMatchObject({ format: 'png' });
  });

  test.each([
    ['a GIF', 'R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'not-an-image'],
    ['a HEIC', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic').toString('base64'), 'not-an-image'],
    ['nothing', '', 'not-an-image'],
    ['a PNG without its header', Buffer.from('89504e470d0a1a0a', 'hex').toString('base64'), 'damaged'],
    ['a JPEG without its frame', Buffer.from('ffd8ffe0', 'hex').toString('base64'), 'damaged'],
    ['a WebP without its frame', Buffer.from('RIFF\0\0\0\0WEBPVP8 ').toString('base64'), 'damaged'],
  ])('the header of an image tells what it refuses: %s', async (_what, base64, defect) => {
    await expect(readHeader(Buffer.from(base64, 'base64'))).rejects.toMatchObject({ defect });
  });
});

/** Chunk of a PNG that says how many frames it has. */
const frameCount = (frames: number) => pngChunk('acTL', Buffer.from([0, 0, 0, frames, 0, 0, 0, 0]));

/** Wraps a WebP of 80 × 60 pixels as an animation of one frame. */
function animate(still: Buffer): Buffer {
  const chunk = (name: string, ...parts: readonly Buffer[]): Buffer => {
    const data = Buffer.concat(parts);
    const size = Buffer.alloc(4);
    size.writeUInt32LE(data.length);
    return Buffer.concat([Buffer.from(name), size, data, Buffer.alloc(data.length % 2)]);
  };
  const sides = Buffer.from([79, 0, 0, 59, 0, 0]);
  const frame = Buffer.concat([Buffer.alloc(6), sides, Buffer.from([100, 0, 0, 0]), still.subarray(12)]);
  const body = [
    Buffer.from('WEBP'),
    chunk('VP8X', Buffer.from([2, 0, 0, 0]), sides),
    chunk('ANIM', Buffer.alloc(6)),
    chunk('ANMF', frame),
  ];
  return chunk('RIFF', ...body);
}

const solid = (background: string) =>
  sharp({ create: { width: 64, height: 64, channels: 3, background } })
    .png()
    .toBuffer();

describe('the estimate of the memory that a decoder takes', () => {
  test('the estimate of the memory that a decoder takes leaves usual images on the threads of the worker', async () => {
    const bound = DECODER_BOUNDS.threadBytes / MIB;
    const photo = await readHeader(await flat(4_032, 3_024).jpeg().toBuffer());
    const result = await readHeader(await flat(5_504, 3_072).png().toBuffer());
    for (const header of [photo, result]) {
      expect(estimateMemory('validate', header) / MIB).toBeLessThan(bound);
      expect(estimateMemory('resize', header) / MIB).toBeLessThan(bound);
    }
    expect(await estimate(flat(2_752, 1_536).webp().toBuffer())).toBeLessThan(bound);
  });

  test('the estimate of the memory that a decoder takes grows with what must be held whole', async () => {
    const rgba16 = { width: 6_320, height: 6_320, depth: 16, colour: 'rgba' } as const;
    expect(await estimate(buildPng({ ...rgba16, interlaced: true }))).toBeGreaterThan(300);
    expect(await estimate(buildPng(rgba16))).toBeLessThan(40);
    const jpeg = flat(6_320, 6_320).jpeg({ progressive: true, chromaSubsampling: '4:4:4' });
    expect(await estimate(jpeg.toBuffer())).toBeGreaterThan(225);
  });
});
