import { describe, expect, test } from '@jest/globals';
import { BUILT_IN_DOCUMENT } from './built-in-document.js';
import { checkDocument } from './check-document.js';
import type { ModelEntry, RouteEntry } from './document-schema.js';

const routes: readonly RouteEntry[] = BUILT_IN_DOCUMENT.models.nanobanana.routes;
const find = (provider: string, model: string) =>
  routes.find((route) => route.provider === provider && route.model === model);

test('the built-in prices are those of the specification: twice as much for 4k at the pro model alone', () => {
  const { nanobanana, 'nanobanana-pro': pro } = BUILT_IN_DOCUMENT.models;
  expect(nanobanana.price).toEqual({ '1k': '0.0100', '2k': '0.0100', '4k': '0.0100' });
  expect(pro.price).toEqual({ '1k': '0.016', '2k': '0.016', '4k': '0.032' });
});

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
      ['gpt-image-2.6-flare', 'gpt-image-2.5-flare'],
    ]);
  });
});

const check = (source: string) => {
  const checked = checkDocument(source);
  if ('faults' in checked) {
    throw new Error(JSON.stringify(checked.faults));
  }
  return checked.catalog.models;
};
const OWN = 'price: { 1k: "0.05" }, routes: [{ provider: openai, model: gpt-image-2, cost: { 1k: "0.03" } }]';

describe('built-in aliases', () => {
  const models = Object.entries<ModelEntry>(BUILT_IN_DOCUMENT.models);

  test('every upstream model of a built-in route whose name may be an alias is one, of the first model that uses it', () => {
    const aliases = models.flatMap(([, { aliases: all = [] }]) => all);
    const used = models.flatMap(([, { routes: all = [] }]) => all.map(({ model }) => model));
    expect(used.filter((model) => !model.includes('/') && !aliases.includes(model))).toEqual([]);
    expect(new Set(aliases).size).toBe(aliases.length);
  });

  test('ids and aliases of a document win over built-in aliases', () => {
    const all = check(`models: { gpt-image-2: { ${OWN} }, poster: { ${OWN}, aliases: [dall-e-3] } }`);
    const { aliases = [] } = all.get('nanobanana') ?? {};
    expect(aliases).toContain('gpt-image-1');
    expect(aliases).not.toContain('gpt-image-2');
    expect(aliases).not.toContain('dall-e-3');
    expect(all.get('poster')?.aliases).toEqual(['dall-e-3']);
  });
});

describe('the built-in model gpt-image', () => {
  test('gpt-image is off, and sells five qualities at 1k, 2k and 4k', () => {
    const model = check('').get('gpt-image');
    expect(model?.enabled).toBe(false);
    expect(Object.values(model?.priceMicros ?? {}).map((price) => Object.keys(price))).toEqual(
      Array(3).fill(['low', 'medium', 'high', 'xhigh', 'max']),
    );
    expect(check('models: { gpt-image: { enabled: true } }').get('gpt-image')).toEqual({
      ...model,
      enabled: true,
    });
  });

  test('gpt-image has the margin of nanobanana at every quality', () => {
    const { price, routes: all } = BUILT_IN_DOCUMENT.models['gpt-image'];
    for (const resolution of ['1k', '2k', '4k'] as const) {
      for (const quality of ['low', 'medium', 'high', 'xhigh', 'max'] as const) {
        const wanted = Number(all[0].cost[resolution][quality]) * (0.01 / 0.0336);
        expect(Math.abs(Number(price[resolution][quality]) - wanted)).toBeLessThan(0.000_06);
      }
    }
  });

  test("an operator's own complete gpt-image keeps its meaning", () => {
    const model = check(`models: { gpt-image: { ${OWN} } }`).get('gpt-image');
    const other = check(`models: { poster: { ${OWN} } }`).get('poster');
    expect(model).toEqual({ ...other, id: 'gpt-image', name: 'gpt-image' });
  });
});
