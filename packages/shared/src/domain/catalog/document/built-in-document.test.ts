import { describe, expect, test } from '@jest/globals';
import { BUILT_IN_DOCUMENT } from './built-in-document.js';
import type { RouteEntry } from './catalog-document.js';

const routes: readonly RouteEntry[] = BUILT_IN_DOCUMENT.models.nanobanana.routes;
const find = (provider: string, model: string) =>
  routes.find((route) => route.provider === provider && route.model === model);

describe('the built-in routes', () => {
  test('a fallback whose provider has a field for it thinks as little as the first choice', () => {
    expect(find('gemini', 'gemini-nano-banana-2.1')?.options).toEqual({
      thinkingConfig: { thinkingLevel: 'MINIMAL' },
    });
    expect(find('fal', 'google/nano-banana-2.1')?.options).toEqual({ thinking_level: 'minimal' });
    expect(find('replicate', 'google/nano-banana-2.1')?.options).toBeUndefined();
    expect(find('openrouter', 'google/gemini-nano-banana-2.1')?.options).toBeUndefined();
  });

  test.each([
    ['gemini', 'gemini-2.5-flash-image'],
    ['fal', 'fal-ai/nano-banana'],
    ['replicate', 'google/nano-banana'],
  ])('the first nano-banana model takes three input images, and one size, at %s', (provider, model) => {
    expect(find(provider, model)).toMatchObject({ max_inputs: 3, resolution: 'fixed' });
  });

  test('OpenAI draws with its current model, and with the former one where a key has no access', () => {
    const models = Object.values(BUILT_IN_DOCUMENT.models).map(({ routes: all }) =>
      all.filter(({ provider }) => provider === 'openai').map(({ model }) => model),
    );
    expect(models).toEqual([
      ['gpt-image-2.6-flare', 'gpt-image-2'],
      ['gpt-image-2.6-sunburst', 'gpt-image-2'],
    ]);
  });
});
