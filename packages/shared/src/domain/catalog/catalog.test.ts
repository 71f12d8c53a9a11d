import { describe, expect, test } from '@jest/globals';
import { getTaskType, MODELS } from './index.js';

describe('catalog', () => {
  test('every model belongs to the public family nano-banana', () => {
    expect(Object.entries(MODELS).map(([id, { family }]) => [id, family])).toEqual([
      ['nanobanana', 'nano-banana'],
      ['nanobanana-pro', 'nano-banana'],
    ]);
  });

  test('the presence of image_urls selects editing', () => {
    expect([getTaskType({}), getTaskType({ image_urls: ['https://a.example/x.png'] })]).toEqual([
      'image_generate',
      'image_edit',
    ]);
  });
});
