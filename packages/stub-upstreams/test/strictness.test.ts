import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type StubProvider, type StubUpstreams, startStubUpstreams } from '../src/index.js';

let stub: StubUpstreams;
beforeAll(async () => {
  stub = await startStubUpstreams();
});
afterAll(() => stub.close());

const BROKEN = `data:image/png;base64,${Buffer.from('no image').toString('base64')}`;
const buildKeyHeaders = (provider: StubProvider): Record<string, string> =>
  provider === 'gemini'
    ? { 'x-goog-api-key': 'stub-gemini-1' }
    : { authorization: `${provider === 'fal' ? 'Key' : 'Bearer'} stub-${provider}-1` };

/** The status and the text of the answer to a request; of the result, where only that says what was wrong. */
async function ask(provider: StubProvider, path: string, body: object): Promise<readonly [number, string]> {
  const headers = { 'content-type': 'application/json', ...buildKeyHeaders(provider) };
  const answer = await fetch(`${stub.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (provider !== 'fal' || answer.status !== 200) {
    return [answer.status, text];
  }
  const { response_url: url } = JSON.parse(text) as { response_url: string };
  for (;;) {
    const result = await fetch(url, { headers });
    const said = await result.text();
    if (!said.includes('still in progress')) {
      return [result.status, said];
    }
  }
}

const gemini = (model: string) => `/v1beta/models/${model}:generateContent`;
const parts = (...more: object[]) => ({ contents: [{ parts: [{ text: 'x' }, ...more] }] });
const config = (generationConfig: object) => ({ ...parts(), generationConfig });
const NANO = gemini('gemini-nano-banana-2.1');
const LITE = gemini('gemini-3.1-flash-lite-image');
const FIRST = gemini('gemini-2.5-flash-image');
const REPLICATE = '/v1/models/google/nano-banana/predictions';
const gpt = { model: 'gpt-image-2', prompt: 'x' };
const openrouter = { model: 'google/gemini-nano-banana-2.1', prompt: 'x' };
const reference = { type: 'image_url', image_url: { url: BROKEN } };
const harmless = { category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_SOME' };

describe('a request that is not as documented is refused in the words of the provider', () => {
  test.each([
    ['gemini', NANO, { ...parts(), negativePrompt: 'x' }, 400, 'Cannot find field'],
    ['gemini', NANO, config({ imageConfig: { aspectRatio: '17:9' } }), 400, 'aspectRatio'],
    ['gemini', NANO, config({ imageConfig: { imageSize: '2k' } }), 400, 'imageSize'],
    ['gemini', NANO, config({ candidateCount: 2 }), 400, 'Multiple candidates'],
    ['gemini', NANO, config({ responseModalities: ['TEXT'] }), 400, 'only makes images'],
    ['gemini', NANO, { ...parts(), safetySettings: [harmless] }, 400, 'threshold'],
    ['gemini', NANO, { contents: [] }, 400, 'contents'],
    [
      'gemini',
      NANO,
      parts({ inlineData: { mimeType: 'image/png', data: 'AAAA' } }),
      400,
      'Unable to process',
    ],
    ['gemini', LITE, config({ imageConfig: { imageSize: '1K' } }), 400, 'Image size 1K is not supported'],
    ['gemini', FIRST, config({ thinkingConfig: { thinkingLevel: 'LOW' } }), 400, 'Thinking is not enabled'],
    ['gemini', gemini('gemini-3-pro-image-preview'), parts(), 404, 'NOT_FOUND'],
    ['fal', '/fal-ai/nano-banana', { prompt: 'x', negative_prompt: 'x' }, 422, 'extra_forbidden'],
    ['fal', '/fal-ai/nano-banana', { prompt: 'x', resolution: '1K' }, 422, 'extra_forbidden'],
    ['fal', '/fal-ai/nano-banana', { prompt: 'x', num_images: 5 }, 422, 'num_images'],
    ['fal', '/fal-ai/nano-banana', { prompt: 'x', safety_tolerance: 4 }, 422, 'safety_tolerance'],
    ['fal', '/fal-ai/nano-banana', {}, 422, 'Field required'],
    ['fal', '/fal-ai/nano-banana/edit', { prompt: 'x' }, 422, 'image_urls'],
    ['fal', '/fal-ai/nano-banana/edit', { prompt: 'x', image_urls: [BROKEN] }, 422, 'image_load_error'],
    ['fal', '/fal-ai/nano-banana-7', { prompt: 'x' }, 404, 'not found'],
    ['replicate', REPLICATE, { input: { prompt: 'x', seed: 7 } }, 422, 'input.seed'],
    ['replicate', REPLICATE, { input: { prompt: 'x', output_format: 'jpeg' } }, 422, 'must be one of'],
    ['replicate', REPLICATE, { input: {} }, 422, 'prompt is required'],
    ['replicate', REPLICATE, { prompt: 'x' }, 422, 'Input validation failed'],
    [
      'replicate',
      '/v1/models/google/imagen/predictions',
      { input: { prompt: 'x' } },
      404,
      'could not be found',
    ],
    ['replicate', '/v1/predictions', { version: 'x', input: { prompt: 'x' } }, 422, 'Invalid version'],
    ['openai', '/v1/images/generations', { model: 'gpt-image-2', prompt: 'x', n: 11 }, 400, '"param":"n"'],
    ...['1000x1024', '1024x1000', '4096x2048', '3840x2176', '3200x1024', '0x16', 'large'].map(
      (size) => ['openai', '/v1/images/generations', { ...gpt, size }, 400, '"param":"size"'] as const,
    ),
    ['openai', '/v1/images/generations', { model: 'dall-e-3', prompt: 'x' }, 400, '"param":"model"'],
    ['openai', '/v1/images/edits', { model: 'gpt-image-2', prompt: 'x' }, 400, 'missing_required_parameter'],
    ['openrouter', '/api/v1/images', { ...openrouter, negative_prompt: 'x' }, 400, 'Unrecognized key'],
    ['openrouter', '/api/v1/images', { ...openrouter, n: 2 }, 400, 'n=2'],
    ['openrouter', '/api/v1/images', { ...openrouter, resolution: '1k' }, 400, 'resolution'],
    ['openrouter', '/api/v1/images', { ...openrouter, model: 'x' }, 400, 'model_not_found'],
    ['openrouter', '/api/v1/images', { ...openrouter, input_references: [reference] }, 400, 'invalid_image'],
  ] as const)('%s %s %j', async (provider, path, body, status, words) => {
    stub.forgetCalls();
    const [actual, text] = await ask(provider, path, body);
    expect(text).toContain(words);
    expect(actual).toBe(status);
    expect(stub.calls({ kind: 'submit' })).toMatchObject([{ provider, billed: 0 }]);
  });
});
