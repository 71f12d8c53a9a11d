import { buildPng, pngChunk } from '@image-gateway/testing';
import { describe, expect, test } from '@jest/globals';
import { readImageHead } from './read-image-head.js';

const SIZE = { width: 40, height: 24, depth: 8 } as const;
const RGB = { ...SIZE, colour: 'rgb' } as const;
// Made by sharp, 40 × 24 pixels.
const WEBP = 'UklGRjQAAABXRUJQVlA4ICgAAADwAgCdASooABgAPm02l0ikIyIhJWgAgA2JaQAAKUNt8AD++3jAAAAA';
const ALPHA =
  'UklGRlgAAABXRUJQVlA4WAoAAAAQAAAAJwAAFwAAQUxQSAoAAAABB1DAiAhERP8DVlA4ICgAAADwAgCdASooABgAPm02l0ikIyIhJWgAgA2JaQAAKUNt8AD++3jAAAAA';
const LOSSLESS = 'UklGRiAAAABXRUJQVlA4TBQAAAAvJ8AFAAdQgVQIIAAKmv7HiIj+Bw==';
const LOSSLESS_ALPHA = 'UklGRiAAAABXRUJQVlA4TBQAAAAvJ8AFEAdQgVQIIAAKmgLGiIj+Bw==';
const WITH_METADATA = 'UklGRhQBAABXRUJQVlA4WAoAAAAIAAAAJwAAFwAA';
// Up to its frame, without any pixels.
const JPEG =
  '/9j/2wBDAAYEBQYFBAYGBQYHBwYIChAKCgkJChQODwwQFxQYGBcUFhYaHSUfGhsjHBYWICwgIyYnKSopGR8tMC0oMCUoKSj/2wBDAQcHBwoIChMKChMoGhYaKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCj/wAARCAAYACgDASIAAhEBAxEB';

const decode = (text: string): Buffer => Buffer.from(text, 'base64');
/** Metadata of EXIF with an orientation behind another field, in either order of bytes. */
function orient(value: number, isLittle: boolean): Buffer {
  const tiff = Buffer.alloc(38);
  const write16 = (number: number, at: number): void =>
    void (isLittle ? tiff.writeUInt16LE(number, at) : tiff.writeUInt16BE(number, at));
  const write32 = (number: number, at: number): void =>
    void (isLittle ? tiff.writeUInt32LE(number, at) : tiff.writeUInt32BE(number, at));
  tiff.write(isLittle ? 'II' : 'MM');
  write16(42, 2);
  write32(8, 4);
  write16(2, 8);
  for (const [at, tag, number] of [
    [10, 0x0100, 40],
    [22, 0x0112, value],
  ] as const) {
    write16(tag, at);
    write16(3, at + 2);
    write32(1, at + 4);
    write16(number, at + 8);
  }
  return tiff;
}

describe('the head of an image', () => {
  test.each<[string, Buffer, object]>([
    ['PNG', buildPng(RGB), { format: 'png' }],
    ['PNG with alpha', buildPng({ ...SIZE, colour: 'rgba' }), { hasAlpha: true }],
    [
      'PNG with a transparent colour',
      buildPng({ ...RGB, chunks: [pngChunk('tRNS', Buffer.alloc(6))] }),
      { hasAlpha: true },
    ],
    [
      'PNG on its side',
      buildPng({ ...RGB, chunks: [pngChunk('eXIf', orient(6, true))] }),
      { isTurned: true },
    ],
    [
      'PNG upside down',
      buildPng({ ...RGB, chunks: [pngChunk('eXIf', orient(3, true))] }),
      { isTurned: false },
    ],
    ['WebP', decode(WEBP), { format: 'webp' }],
    ['WebP with alpha', decode(ALPHA), { hasAlpha: true }],
    ['lossless WebP', decode(LOSSLESS), { hasAlpha: false }],
    ['lossless WebP with alpha', decode(LOSSLESS_ALPHA), { hasAlpha: true }],
    ['WebP with metadata behind its pixels', decode(WITH_METADATA), { isTurned: null }],
    ['JPEG', decode(JPEG), { format: 'jpeg' }],
    ['JPEG on its side', withExif(orient(8, true)), { isTurned: true, format: 'jpeg' }],
    ['JPEG on its side, the bytes in the other order', withExif(orient(5, false)), { isTurned: true }],
    ['JPEG that is mirrored', withExif(orient(2, false)), { isTurned: false }],
  ])('tells size, orientation and alpha of a %s', (_, bytes, expected) => {
    const head = readImageHead(bytes);
    expect(head).toMatchObject({ width: 40, height: 24, ...expected });
    expect(head).toEqual({
      isTurned: false,
      hasAlpha: false,
      format: expect.any(String),
      ...head,
      ...expected,
    });
  });

  test.each([
    ['text', Buffer.from('first image')],
    ['nothing', Buffer.alloc(0)],
    ['a GIF', Buffer.from('GIF89a\u0028\u0000\u0018\u0000')],
    ['an image of no pixels', buildPng({ ...RGB, width: 0 })],
    ['a RIFF that is no WebP', Buffer.from('RIFF\u0000\u0000\u0000\u0000WAVEfmt ')],
  ])('%s has none', (_, bytes) => {
    expect(readImageHead(bytes)).toBeNull();
  });

  test('every beginning that is too short has none, and no bytes make it fail', () => {
    for (const whole of [buildPng(RGB), decode(JPEG), withExif(orient(6, true)), decode(ALPHA)]) {
      const heads = Array.from({ length: whole.length }, (_, end) => readImageHead(whole.subarray(0, end)));
      expect(heads.slice(0, 24).every((head) => head === null)).toBe(true);
      for (let at = 12; at < whole.length; at++) {
        const broken = Buffer.from(whole);
        broken[at] = 0xff;
        expect(() => readImageHead(broken)).not.toThrow();
      }
    }
  });
});

function withExif(tiff: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from('Exif\0\0'), tiff]);
  const start = Buffer.from([0xff, 0xe1, 0, body.length + 2]);
  const jpeg = decode(JPEG);
  return Buffer.concat([jpeg.subarray(0, 2), start, body, jpeg.subarray(2)]);
}
