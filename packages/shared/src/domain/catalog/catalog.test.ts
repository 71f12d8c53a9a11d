import { describe, expect, test } from '@jest/globals';
import { getTaskType } from './index.js';

describe('catalog', () => {
  test('the presence of image_urls selects editing', () => {
    expect([getTaskType({}), getTaskType({ image_urls: ['https://a.example/x.png'] })]).toEqual([
      'image_generate',
      'image_edit',
    ]);
  });
});
