import { buildPng, inflatingChunk, pngChunk } from '@image-gateway/testing';
import { expect, test } from '@jest/globals';
import { dropCompressedMetadata } from './drop-compressed-metadata.js';

const image = { width: 8, height: 8, depth: 8, colour: 'rgb' } as const;
const text = pngChunk('tEXt', Buffer.from('Title\0fox'));

test('compressed texts and profiles are left out of a PNG, and everything else stays byte for byte', () => {
  const bombs = (['iCCP', 'zTXt', 'iTXt'] as const).map((type) => inflatingChunk(type, 1_000_000));
  const dropped = dropCompressedMetadata(buildPng({ ...image, chunks: [...bombs, text] }));
  expect(dropped.equals(buildPng({ ...image, chunks: [text] }))).toBe(true);
});

test('a PNG that was cut anywhere keeps the rest of its bytes', () => {
  const whole = buildPng({ ...image, chunks: [text] });
  for (let end = 8; end <= whole.length; end++) {
    expect(dropCompressedMetadata(whole.subarray(0, end)).equals(whole.subarray(0, end))).toBe(true);
  }
});
