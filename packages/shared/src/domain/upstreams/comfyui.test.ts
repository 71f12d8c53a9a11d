import { describe, expect, test } from '@jest/globals';
import { comfyui } from './comfyui.js';

const inputs = { text: 'a photo of {{prompt}}', seed: '{{seed}}', width: '{{width}}', height: '{{height}}' };
const route = {
  model: 'a-model',
  types: ['image_generate'],
  maxInputs: 9,
  maxImagesPerCall: null,
  options: { workflow: { 6: { class_type: 'CLIPTextEncode', inputs } } },
  resolution: 'sent',
  sizes: {},
} as const;
const messages = (changes: object): string[] =>
  comfyui.checkRoute({ ...route, ...changes }).map(({ field, message }) => `${field}: ${message}`);

describe('the workflow of a ComfyUI route', () => {
  test('the workflow of a ComfyUI route with all placeholders is right', () => {
    expect(messages({})).toEqual([]);
  });

  test.each([
    undefined,
    null,
    'text',
    [],
    {},
    { 6: 'text' },
    { 6: { class_type: 'X' } },
    { nodes: [], links: [] },
  ])('the workflow of a ComfyUI route must be in API format, not %j', (workflow) => {
    expect(messages({ options: { workflow } })).toEqual([
      expect.stringMatching(/^options\.workflow: must be a workflow in API format/),
    ]);
  });

  test('the workflow of a ComfyUI route must have a place for everything that the route promises', () => {
    const workflow = { 6: { class_type: 'CLIPTextEncode', inputs: { text: '{{promt}} {{image_1}}' } } };
    const changes = { types: ['image_edit'], maxInputs: 2, maxImagesPerCall: 4, options: { workflow } };
    expect(messages(changes).map((text) => /\{\{(\w+)\}\}/.exec(text)?.[1])).toEqual([
      'promt',
      'prompt',
      'seed',
      'width',
      'height',
      'count',
      'image_2',
    ]);
  });

  test('the workflow of a ComfyUI route needs no size where the resolution is fixed', () => {
    const workflow = { 6: { class_type: 'X', inputs: { text: '{{prompt}}', seed: '{{seed}}' } } };
    expect(messages({ options: { workflow } })).toHaveLength(2);
    expect(messages({ options: { workflow }, resolution: 'fixed' })).toEqual([]);
  });
});
