import { describe, expect, test } from '@jest/globals';
import { toDataUrl } from '../http/encode-json.js';
import type { InputImage, ProviderRequest } from '../port.js';
import { buildRequest } from './build-request.js';

const request = (changes: Partial<ProviderRequest> = {}): ProviderRequest => ({
  taskId: 't',
  callId: 'call-1',
  model: 'google/m',
  key: null,
  prompt: 'A fox',
  negativePrompt: null,
  aspectRatio: '9:16',
  resolution: '2k',
  takesResolution: true,
  fields: {},
  options: {},
  slots: [0],
  inputs: [],
  earlierCalls: 0,
  job: null,
  ...changes,
});
const input = (text: string, contentType: InputImage['contentType']): InputImage => ({
  bytes: Buffer.from(text),
  contentType,
  width: 1,
  height: 1,
});

describe('build request', () => {
  test('a request to OpenRouter says everything that was asked for', () => {
    expect(buildRequest(request({ negativePrompt: 'text', slots: [1, 3] }))).toEqual({
      model: 'google/m',
      prompt: 'A fox\n\nAvoid: text',
      n: 2,
      aspect_ratio: '9:16',
      resolution: '2K',
      output_format: 'png',
      input_references: undefined,
    });
  });

  test('a request to OpenRouter has the pixels of its route instead of ratio and resolution', () => {
    const body = buildRequest(request({ size: '768x1344' }));
    expect(body).toMatchObject({ size: '768x1344' });
    expect(Object.keys(body).sort()).toEqual(['model', 'n', 'output_format', 'prompt', 'size']);
  });

  test('a request to OpenRouter asks for a JPEG where a PNG could be too large to be taken in', () => {
    expect(buildRequest(request({ resolution: '4k' }))).toMatchObject({
      resolution: '4K',
      output_format: 'jpeg',
    });
  });

  test('a request to OpenRouter names no size to a model that has one only', () => {
    expect(buildRequest(request({ takesResolution: false }))).not.toHaveProperty('resolution');
  });

  test('a request to OpenRouter has the images in their order, as data URLs', () => {
    const inputs = [input('1', 'image/webp'), input('2', 'image/png')];
    expect(buildRequest(request({ inputs })).input_references).toEqual(
      inputs.map((one) => ({ type: 'image_url', image_url: { url: toDataUrl(one) } })),
    );
  });

  test('a request to OpenRouter takes the options of its route, but for the model, the prompt, the images and their number', () => {
    const asked = { model: 'x', prompt: 'x', n: 9, input_references: ['x'] };
    const options = { ...asked, output_format: 'webp', provider: { only: ['google-ai-studio'] } };
    expect(buildRequest(request({ options }))).toEqual({
      model: 'google/m',
      prompt: 'A fox',
      n: 1,
      aspect_ratio: '9:16',
      resolution: '2K',
      output_format: 'webp',
      provider: { only: ['google-ai-studio'] },
      input_references: undefined,
    });
  });
});
