import { describe, expect, test } from '@jest/globals';
import { readFingerprint } from './read-fingerprint.js';
import { type ImageFields, readImageFields } from './read-image-fields.js';

const GIVEN = { prompt: 'a red fox' };
const FULL = {
  ...GIVEN,
  model: 'gpt-image-1',
  n: 2,
  size: '1024x1024',
  aspect_ratio: '1:1',
  resolution: '2k',
  response_format: 'url',
  stream: true,
  user: 'u',
  negative_prompt: 'snow',
};
const inputs = ['a', 'https://a.example/1.png'];
const read = (fields: ImageFields, mask?: string) =>
  readFingerprint({ path: '/openai/v1/images/generations', fields, inputs, mask });

describe('what makes two requests of the facade equal', () => {
  test('without fields that were added later the first part is the one of earlier releases', () => {
    const prints = [GIVEN, FULL].map((given) => read(readImageFields(given)).first.toString('hex'));
    expect(prints).toEqual([
      '57782bfb50dc9f0e7fac74428a6247bc87916045330eacd6976ea631c16efeb4',
      '84250aa70cd129ba26e928698029c6db0963e5ebd7cb80014fc6f68850607158',
    ]);
  });

  test.each([
    [{ quality: 'high' }],
    [{ quality: 'nonsense' }],
    [{ output_format: 'webp' }],
    [{ output_compression: 80 }],
    [{ style: 'vivid' }],
    [{ moderation: 'low' }],
    [{ input_fidelity: 'high' }],
    [{ seed: 7 }],
    [{ background: 'opaque' }],
  ])('%j, which earlier releases ignored, changes the second part alone', (more) => {
    const [plain, wished] = [GIVEN, { ...GIVEN, ...more }].map((given) => read(readImageFields(given)));
    expect(wished?.first).toEqual(plain?.first);
    expect(wished?.added).not.toEqual(plain?.added);
    expect(read(readImageFields({ ...GIVEN, ...more })).added).toEqual(wished?.added);
  });

  test('a mask and a transparent background, which earlier releases refused, change the first part', () => {
    const plain = read(readImageFields(GIVEN));
    const masks = ['m', 'n'].map((mask) => read(readImageFields(GIVEN), mask).first.toString('hex'));
    const transparent = read(readImageFields({ ...GIVEN, background: 'transparent' })).first;
    expect(new Set([plain.first.toString('hex'), ...masks, transparent.toString('hex')]).size).toBe(4);
  });
});
