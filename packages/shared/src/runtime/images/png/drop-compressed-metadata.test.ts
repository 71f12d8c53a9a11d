import { buildPng, inflatingChunk, pngChunk } from '@image-gateway/testing';
import { expect, test } from '@jest/globals';
import { dropCompressedMetadata, dropLongTexts } from './drop-compressed-metadata.js';

const image = { width: 8, height: 8, depth: 8, colour: 'rgb' } as const;
const text = pngChunk('tEXt', Buffer.from('Title\0fox'));

test('compressed texts and profiles are left out of a PNG, and everything else stays byte for byte', () => {
  const bombs = (['iCCP', 'zTXt', 'iTXt'] as const).map((type) => inflatingChunk(type, 1_000_000));
  const dropped = dropCompressedMetadata(buildPng({ ...image, chunks: [...bombs, text] }));
  expect(dropped.equals(buildPng({ ...image, chunks: [text] }))).toBe(true);
});

test('long plain texts are left out of a PNG, however many they are, and short ones stay', () => {
  const long = Array.from({ length: 9 }, () => pngChunk('tEXt', Buffer.alloc(4_000, 'Title\0')));
  const other = pngChunk('abCd', Buffer.alloc(40_000));
  const png = buildPng({ ...image, chunks: [other, ...long] });
  expect(dropLongTexts(png).equals(buildPng({ ...image, chunks: [other] }))).toBe(true);
  const short = buildPng({ ...image, chunks: [other, text] });
  expect(dropLongTexts(short)).toBe(short);
});

test('a PNG that was cut anywhere keeps the rest of its bytes', () => {
  const whole = buildPng({ ...image, chunks: [text] });
  for (let end = 8; end <= whole.length; end++) {
    expect(dropCompressedMetadata(whole.subarray(0, end)).equals(whole.subarray(0, end))).toBe(true);
    expect(dropLongTexts(whole.subarray(0, end)).equals(whole.subarray(0, end))).toBe(true);
  }
});
