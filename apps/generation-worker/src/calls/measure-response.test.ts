import { describe, expect, test } from '@jest/globals';
import { measureResponse } from './measure-response.js';

const MIB = 1024 ** 2;

describe('measure response', () => {
  test.each([
    ['1k', undefined, 1, 8],
    ['2k', undefined, 1, 24],
    ['4k', undefined, 1, 48],
    ['1k', undefined, 4, 32],
    ['2k', undefined, 4, 48],
    ['1k', '1024x1024', 1, 8],
    ['1k', '2048x1536', 1, 16],
    ['1k', '8192x8192', 1, 48],
  ] as const)(
    'the largest response to expect follows resolution, size and number of images: %s %s, %s',
    (resolution, size, images, mib) => {
      expect(measureResponse({ resolution, size, images })).toBe(mib * MIB);
    },
  );
});
