import { describe, expect, test } from '@jest/globals';
import type { ProviderRequest } from '../port.js';
import { buildRequest } from './build-request.js';

const request: ProviderRequest = {
  taskId: 'gen_0',
  callId: 'call-1',
  model: 'fal-ai/nano-banana-pro',
  key: null,
  prompt: 'a fox',
  negativePrompt: null,
  aspectRatio: '9:16',
  resolution: '2k',
  takesResolution: true,
  fields: {},
  options: {},
  slots: [1, 3],
  inputs: [],
  earlierCalls: 0,
  job: null,
};
const image = { bytes: Buffer.from('png'), contentType: 'image/png', width: 1, height: 1 } as const;

describe('build request', () => {
  test('a submission to fal says everything, so that no default of fal decides', () => {
    expect(buildRequest(request)).toEqual({
      model: 'fal-ai/nano-banana-pro',
      body: {
        prompt: 'a fox',
        num_images: 2,
        aspect_ratio: '9:16',
        resolution: '2K',
        output_format: 'png',
        limit_generations: true,
        safety_tolerance: '4',
      },
    });
  });

  test('a submission to fal names no resolution where the model has one only', () => {
    expect(buildRequest({ ...request, takesResolution: false }).body).not.toHaveProperty('resolution');
  });

  test('a request to fal has the pixels of its route instead of ratio and resolution', () => {
    const { body } = buildRequest({ ...request, model: 'fal-ai/flux/dev', size: '768x1344' });
    expect(body).toMatchObject({ image_size: { width: 768, height: 1344 } });
    expect(body).not.toHaveProperty('aspect_ratio');
    expect(body).not.toHaveProperty('resolution');
  });

  test.each([
    ['fal-ai/nano-banana', true],
    ['fal-ai/nano-banana/edit', true],
    ['fal-ai/nano-banana-2', true],
    ['google/nano-banana-2.1', true],
    ['google/nano-banana-2.1/edit', true],
    ['google/imagen-4', false],
    ['fal-ai/nano-bananas', false],
  ])(
    'a submission to fal names a field that only some endpoints are known to take to those only: %s',
    (model, known) => {
      const { body } = buildRequest({ ...request, model });
      expect(['limit_generations' in body, 'safety_tolerance' in body]).toEqual([known, known]);
    },
  );

  test('a submission to fal asks for a 4k image in a format that keeps it small enough to be fetched', () => {
    expect(buildRequest({ ...request, resolution: '4k' }).body).toMatchObject({
      resolution: '4K',
      output_format: 'jpeg',
    });
  });

  test('a submission to fal folds the negative prompt in and sends no seed', () => {
    const { body } = buildRequest({ ...request, negativePrompt: 'text' });
    expect(body).toMatchObject({ prompt: 'a fox\n\nAvoid: text' });
    expect(body).not.toHaveProperty('seed');
  });

  test('a submission to fal that edits goes to the endpoint for edits, once, with the images in their order', () => {
    const inputs = [image, { ...image, bytes: Buffer.from('two') }];
    const edit = buildRequest({ ...request, inputs });
    expect(edit.model).toBe('fal-ai/nano-banana-pro/edit');
    expect(edit.body.image_urls).toEqual(
      inputs.map(({ bytes }) => ({ embed: bytes, prefix: 'data:image/png;base64,' })),
    );
    expect(buildRequest({ ...request, inputs, model: edit.model }).model).toBe(edit.model);
  });

  test.each([
    [
      { edit_model: 'fal-ai/flux-pro/kontext', image_field: 'image_url' },
      'fal-ai/flux-pro/kontext',
      'image_url',
      false,
    ],
    [{ edit_model: 'bytedance/seedream/v4.5/edit' }, 'bytedance/seedream/v4.5/edit', 'image_urls', true],
    [{ image_field: 'images[]' }, 'fal-ai/nano-banana-pro/edit', 'images', true],
  ])('a submission to fal that edits goes where its route says: %j', (options, model, field, isList) => {
    const edit = buildRequest({ ...request, options, inputs: [image] });
    const sent = { embed: image.bytes, prefix: 'data:image/png;base64,' };
    expect(edit.model).toBe(model);
    expect(edit.body[field]).toEqual(isList ? [sent] : sent);
    expect(Object.keys(edit.body)).not.toContain('edit_model');
    expect(Object.keys(edit.body)).not.toContain('image_field');
    expect(Object.keys(edit.body).filter((name) => name.startsWith('image_'))).toEqual(
      [field].filter((name) => name.startsWith('image_')),
    );
    expect(buildRequest({ ...request, options }).model).toBe('fal-ai/nano-banana-pro');
  });

  test('a submission to fal lets the options of the route win over our own values, never over what the customer asked for', () => {
    const options = {
      prompt: 'another',
      num_images: 4,
      image_urls: ['https://elsewhere.example/'],
      output_format: 'webp',
      safety_tolerance: '1',
      seed: 7,
    };
    const { body } = buildRequest({ ...request, options });
    expect(body).not.toHaveProperty('image_urls');
    expect(body).toMatchObject({
      prompt: 'a fox',
      num_images: 2,
      output_format: 'webp',
      safety_tolerance: '1',
      seed: 7,
    });
  });
});
