import { describe, expect, test } from '@jest/globals';
import { buildRequest } from './build-request.js';

const request = {
  taskId: 'gen_0',
  callId: 'call-1',
  model: 'google/nano-banana-pro',
  key: null,
  prompt: 'a fox',
  negativePrompt: null,
  aspectRatio: '9:16',
  resolution: '2k',
  takesResolution: true,
  fields: {},
  options: {},
  slots: [0],
  earlierCalls: 0,
  job: null,
} as const;

describe('build request', () => {
  test('a request to Replicate says everything, so that no default of the model decides', () => {
    expect(buildRequest(request, [])).toEqual({
      path: '/models/google/nano-banana-pro/predictions',
      body: {
        input: {
          prompt: 'a fox',
          image_input: [],
          aspect_ratio: '9:16',
          resolution: '2K',
          output_format: 'png',
          allow_fallback_model: false,
          safety_filter_level: 'block_only_high',
        },
      },
    });
  });

  test.each(['google/nano-banana', 'google/nano-banana-2', 'google/nano-banana-2.1'])(
    'a request to Replicate names no field that the model is not known to take: %s',
    (model) => {
      const { input } = buildRequest({ ...request, model, takesResolution: false }, []).body;
      expect(Object.keys(input as object).sort()).toEqual([
        'aspect_ratio',
        'image_input',
        'output_format',
        'prompt',
      ]);
    },
  );

  test('a request to Replicate has the pixels of its route instead of ratio and resolution', () => {
    const { input } = buildRequest({ ...request, model: 'owner/sdxl:5f4d', size: '768x1344' }, []).body as {
      input: object;
    };
    expect(input).toEqual({ width: 768, height: 1344, output_format: 'png', prompt: 'a fox' });
  });

  test('a request to Replicate asks for a 4k image in a format that keeps it small enough to be fetched', () => {
    const { input } = buildRequest({ ...request, resolution: '4k' }, []).body;
    expect(input).toMatchObject({ resolution: '4K', output_format: 'jpg' });
  });

  test('a request to Replicate has input images in the field of the model, or is not made', () => {
    const build = (options: object, images: string[]) =>
      (
        buildRequest({ ...request, model: 'owner/name', options: { ...options } }, images).body as {
          input: object;
        }
      ).input;
    expect(Object.keys(build({}, [])).sort()).toEqual([
      'aspect_ratio',
      'output_format',
      'prompt',
      'resolution',
    ]);
    expect(build({ image_field: 'input_image' }, ['a'])).toMatchObject({ input_image: 'a' });
    expect(build({ image_field: 'images[]' }, ['a', 'b'])).toMatchObject({ images: ['a', 'b'] });
    expect(() => build({}, ['a'])).toThrow('names no field for input images');
  });

  test('a request to Replicate folds the negative prompt in', () => {
    const { input } = buildRequest({ ...request, negativePrompt: 'text' }, []).body;
    expect(input).toMatchObject({ prompt: 'a fox\n\nAvoid: text' });
  });

  test('a request to Replicate names a version where the model has one', () => {
    expect(buildRequest({ ...request, model: 'someone/model:5f4d' }, [])).toMatchObject({
      path: '/predictions',
      body: { version: 'someone/model:5f4d' },
    });
  });

  test('a request to Replicate lets the options of the route win over our own values, never over what the customer asked for', () => {
    const options = {
      prompt: 'another',
      image_input: ['https://elsewhere.example/'],
      output_format: 'jpg',
      allow_fallback_model: true,
    };
    expect(buildRequest({ ...request, options }, ['https://ours.example/0']).body.input).toMatchObject({
      prompt: 'a fox',
      image_input: ['https://ours.example/0'],
      output_format: 'jpg',
      allow_fallback_model: true,
    });
  });
});
