import { describe, expect, test } from '@jest/globals';
import { formatDollars } from '../money/index.js';
import { getPrice, getTaskType, MODELS } from './index.js';

describe('catalog', () => {
  test.each([
    ['nanobanana', '1k', 1, '$0.0100'],
    ['nanobanana', '2k', 4, '$0.0400'],
    ['nanobanana', '4k', 1, '$0.0100'],
    ['nanobanana-pro', '1k', 1, '$0.0160'],
    ['nanobanana-pro', '2k', 2, '$0.0320'],
    ['nanobanana-pro', '4k', 1, '$0.0320'],
    ['nanobanana-pro', '4k', 4, '$0.1280'],
  ] as const)('%s at %s, %d images cost %s', (model, resolution, outputs, dollars) => {
    expect(formatDollars(getPrice({ model, resolution, num_outputs: outputs }).holdMicros)).toBe(dollars);
  });

  test('every model belongs to the public family nano-banana', () => {
    expect(Object.entries(MODELS).map(([id, { family }]) => [id, family])).toEqual([
      ['nanobanana', 'nano-banana'],
      ['nanobanana-pro', 'nano-banana'],
    ]);
  });

  test('a model outside the catalog has no price, whatever its name', () => {
    for (const model of ['other', 'constructor', '__proto__', ''])
      expect(() => getPrice({ model, resolution: '1k', num_outputs: 1 })).toThrow(RangeError);
  });

  test('the presence of image_urls selects editing', () => {
    expect([getTaskType({}), getTaskType({ image_urls: ['https://a.example/x.png'] })]).toEqual([
      'image_generate',
      'image_edit',
    ]);
  });
});
