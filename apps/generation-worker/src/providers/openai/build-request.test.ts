import { describe, expect, test } from '@jest/globals';
import { aRequest, buildInput } from '../../../test/providers/support/a-request.js';
import { toDataUrl } from '../http/encode-json.js';
import type { ProviderRequest } from '../port.js';
import { buildRequest, getDialect } from './build-request.js';

const buildFields = (changes: Partial<ProviderRequest>, dialect: 'openai' | 'compatible') =>
  buildRequest(aRequest(changes), dialect).fields;

describe('a request to OpenAI', () => {
  test('a request to OpenAI says everything, with the negative prompt folded in', () => {
    expect(
      buildRequest(aRequest({ negativePrompt: 'text', slots: [1, 3], model: 'gpt-image-2' }), 'openai'),
    ).toEqual({
      path: '/images/generations',
      fileField: 'image[]',
      files: [],
      fields: {
        model: 'gpt-image-2',
        prompt: 'A red fox\n\nAvoid: text',
        n: 2,
        size: '1536x864',
        quality: 'medium',
        output_format: 'png',
      },
    });
  });

  test.each([
    ['16:9', '1k', '1536x864'],
    ['9:16', '1k', '864x1536'],
    ['16:9', '2k', '2560x1440'],
    ['9:16', '2k', '1440x2560'],
    ['16:9', '4k', '3840x2160'],
    ['9:16', '4k', '2160x3840'],
  ] as const)('for %s at %s asks for %s', (aspectRatio, resolution, size) => {
    expect(buildFields({ aspectRatio, resolution }, 'openai')).toMatchObject({ size });
  });

  test('a request to OpenAI says for whom it is, unless its route leaves that out; other servers may not know the field', () => {
    expect(buildFields({ endUser: 'gw-1' }, 'openai')).toMatchObject({ user: 'gw-1' });
    expect(buildFields({ endUser: 'gw-1', options: { user: null } }, 'openai')).not.toHaveProperty('user');
    expect(buildFields({ endUser: 'gw-1' }, 'compatible')).not.toHaveProperty('user');
  });

  test('a request to OpenAI asks for JPEG at 4k, because four PNGs of that size are no answer', () => {
    expect(buildFields({ resolution: '4k' }, 'openai')).toMatchObject({ output_format: 'jpeg' });
  });

  test('a request to OpenAI for an edit names the moderation that was asked for', () => {
    const request = buildRequest(
      aRequest({ inputs: [buildInput('AAAA')], fields: { moderation: 'low' } }),
      'openai',
    );
    expect(request).toMatchObject({ path: '/images/edits', fileField: 'image[]', files: [{}] });
    expect(request.fields).toHaveProperty('moderation', 'low');
  });
});

describe('a request to Recraft', () => {
  const host = 'external.api.recraft.ai';
  const options = { zdr: null };

  test('a request to Recraft has neither prompt nor image kept, unless its route leaves that out; other servers may not know the field', () => {
    const request = aRequest({ model: 'recraftv4_1' });
    expect(buildRequest(request, 'compatible', host).fields).toMatchObject({
      zdr: true,
      response_format: 'b64_json',
    });
    expect(buildRequest({ ...request, options }, 'compatible', host).fields).not.toHaveProperty('zdr');
    expect(buildRequest(request, 'compatible', 'api.openai.com').fields).not.toHaveProperty('zdr');
    expect(buildRequest(request, 'compatible').fields).not.toHaveProperty('zdr');
  });
});

describe('a request to a server that differs from OpenAI', () => {
  const inputs = [buildInput('AAAA'), buildInput('BBBB')];
  const urls = inputs.map(toDataUrl);

  test.each([
    [
      { image_format: 'data_url', edit_path: '/images/generations' },
      '/images/generations',
      { image: urls[0] },
    ],
    [{ image_format: 'data_url', image_field: 'image[]' }, '/images/edits', { image: urls }],
    [
      { image_format: 'url_object', image_field: 'images[]' },
      '/images/edits',
      { images: urls.map((url) => ({ url })) },
    ],
  ])('takes input images in JSON: %j', (options, path, images) => {
    const built = buildRequest(aRequest({ inputs, options }), 'compatible');
    expect(built).toMatchObject({ path, files: [], fields: images });
    expect(Object.keys(built.fields).sort()).toEqual(
      [...Object.keys(images), 'model', 'n', 'prompt', 'response_format', 'size'].sort(),
    );
  });

  test('takes another model and another field of the form for edits', () => {
    const options = { edit_model: 'qwen-image-edit', image_field: 'files[]' };
    const build = (more: Partial<ProviderRequest>) =>
      buildRequest(aRequest({ model: 'qwen-image', options, ...more }), 'compatible');
    expect(build({ inputs })).toMatchObject({ fileField: 'files[]', fields: { model: 'qwen-image-edit' } });
    expect(build({}).fields).toMatchObject({ model: 'qwen-image' });
    expect(build({}).fields).not.toHaveProperty('edit_model');
  });

  test.each([
    ['pixels', { width: 1376, height: 768 }],
    ['ratio', { aspect_ratio: '16:9', resolution: '1k' }],
  ])('takes the shape as %s', (shape, fields) => {
    const built = buildFields({ options: { shape } }, 'compatible');
    expect(built).toMatchObject(fields);
    expect(built).not.toHaveProperty('size');
  });
});

describe('a request to a server of the same protocol', () => {
  test('a request to a server of the same protocol has the negative prompt in a field of its own and nothing that only OpenAI knows', () => {
    expect(buildRequest(aRequest({ negativePrompt: 'text' }), 'compatible')).toEqual({
      path: '/images/generations',
      fileField: 'image',
      files: [],
      fields: {
        model: 'a-model',
        prompt: 'A red fox',
        negative_prompt: 'text',
        n: 1,
        size: '1376x768',
        response_format: 'b64_json',
      },
    });
  });

  test.each([
    ['9:16', '1k', '768x1376'],
    ['16:9', '2k', '2752x1536'],
    ['9:16', '4k', '3072x5504'],
  ] as const)('for %s at %s asks for %s', (aspectRatio, resolution, size) => {
    expect(buildFields({ aspectRatio, resolution }, 'compatible')).toMatchObject({ size });
  });
});

describe.each(['openai', 'compatible'] as const)('the options of a route (%s)', (dialect) => {
  test('options of a route win over our own values', () => {
    const options = { quality: 'high', seed: 7 };
    expect(buildFields({ options }, dialect)).toMatchObject(options);
  });

  test('options of a route never win over the model, the prompt, the images and their number', () => {
    const options = { model: 'x', prompt: 'x', n: 9, image: 'x', 'image[]': 'x', images: ['x'] };
    const fields = buildFields({ options }, dialect);
    expect(fields).toMatchObject({ model: 'a-model', prompt: 'A red fox', n: 1 });
    for (const name of ['image', 'image[]', 'images']) {
      expect(Object.keys(fields)).not.toContain(name);
    }
  });

  test('may name the dialect, which is not sent', () => {
    expect(buildFields({ options: { dialect: 'openai' } }, dialect)).not.toHaveProperty('dialect');
    const of = (options: Readonly<Record<string, unknown>>, model = 'Qwen/Qwen-Image') =>
      getDialect(dialect, { model, options });
    expect(of({ dialect: 'openai' })).toBe('openai');
    expect(of({ dialect: 'compatible' })).toBe('compatible');
    expect(of({ dialect: 'esperanto' })).toBe(dialect);
    expect(of({})).toBe(dialect);
    expect(of({}, 'gpt-image-2')).toBe('openai');
    expect(of({ dialect: 'compatible' }, 'gpt-image-2')).toBe('compatible');
  });
});
