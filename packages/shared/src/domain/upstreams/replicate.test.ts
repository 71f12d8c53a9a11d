import { expect, test } from '@jest/globals';
import { replicate } from './replicate.js';

const route = {
  model: 'owner/name',
  types: ['image_generate', 'image_edit'],
  maxInputs: 9,
  maxImagesPerCall: null,
  options: {},
  resolution: 'sent',
  sizes: {},
} as const;
const fields = (changes: object) => replicate.checkRoute({ ...route, ...changes }).map(({ field }) => field);

test('a Replicate route for edits names the field for input images, unless the model is known', () => {
  expect(fields({})).toEqual(['options.image_field']);
  expect(fields({ options: { image_field: 'no name' } })).toEqual(['options.image_field']);
  expect(fields({ options: { image_field: 'images[]' } })).toEqual([]);
  expect(fields({ options: { image_field: 'input_image' } })).toEqual(['max_inputs']);
  expect(fields({ options: { image_field: 'input_image' }, maxInputs: 1 })).toEqual([]);
  expect(fields({ types: ['image_generate'] })).toEqual([]);
  expect(fields({ model: 'google/nano-banana-2.1' })).toEqual([]);
});
