import { describe, expect, test } from '@jest/globals';
import { toBase64 } from '../http/encode-json.js';
import type { InputImage, ProviderRequest } from '../port.js';
import { buildRequest } from './build-request.js';

const request = (changes: Partial<ProviderRequest> = {}): ProviderRequest => ({
  taskId: 't',
  callId: 'call-1',
  model: 'm',
  key: null,
  prompt: 'A fox',
  negativePrompt: null,
  aspectRatio: '9:16',
  resolution: '4k',
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
  test('a request to Gemini says everything that was asked for, and one image', () => {
    expect(buildRequest(request({ negativePrompt: 'text' }))).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'A fox\n\nAvoid: text' }] }],
      generationConfig: {
        candidateCount: 1,
        responseModalities: ['IMAGE'],
        imageConfig: { aspectRatio: '9:16', imageSize: '4K' },
      },
    });
  });

  test('a request to Gemini names no size to a model that has one only', () => {
    expect(buildRequest(request({ takesResolution: false }))).toMatchObject({
      generationConfig: { imageConfig: { aspectRatio: '9:16' } },
    });
    expect(JSON.stringify(buildRequest(request({ takesResolution: false })))).not.toContain('imageSize');
  });

  test('a request to Gemini has the images behind the prompt, in their order', () => {
    const [first, second] = [input('1', 'image/webp'), input('2', 'image/png')];
    expect(buildRequest(request({ inputs: [first, second] }))).toMatchObject({
      contents: [
        {
          parts: [
            { text: 'A fox' },
            { inlineData: { mimeType: 'image/webp', data: toBase64(first.bytes) } },
            { inlineData: { mimeType: 'image/png', data: toBase64(second.bytes) } },
          ],
        },
      ],
    });
  });

  test('a request to Gemini takes the options of its route, but for the prompt and the number', () => {
    const options = {
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
      thinkingConfig: { thinkingLevel: 'MINIMAL' },
      responseModalities: ['TEXT', 'IMAGE'],
      imageConfig: { personGeneration: 'ALLOW_ALL' },
      candidateCount: 4,
      contents: [],
    };
    const { contents, safetySettings, generationConfig } = buildRequest(request({ options }));
    expect(contents).toEqual([{ role: 'user', parts: [{ text: 'A fox' }] }]);
    expect(safetySettings).toEqual(options.safetySettings);
    expect(generationConfig).toMatchObject({
      thinkingConfig: { thinkingLevel: 'MINIMAL' },
      responseModalities: ['TEXT', 'IMAGE'],
      candidateCount: 1,
      imageConfig: { aspectRatio: '9:16', imageSize: '4K', personGeneration: 'ALLOW_ALL' },
    });
    expect(generationConfig).not.toHaveProperty('safetySettings');
  });

  test('a request to Gemini has the options of the whole request beside its contents', () => {
    const options = { service_tier: 'flex', labels: { team: 'a' }, tools: [{ googleSearch: {} }], topK: 3 };
    const { service_tier, labels, tools, generationConfig } = buildRequest(request({ options }));
    expect({ service_tier, labels, tools }).toEqual({
      service_tier: 'flex',
      labels: { team: 'a' },
      tools: [{ googleSearch: {} }],
    });
    expect(generationConfig).toMatchObject({ topK: 3 });
    expect(Object.keys(generationConfig as object)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/tier|labels|tools/)]),
    );
  });
});
