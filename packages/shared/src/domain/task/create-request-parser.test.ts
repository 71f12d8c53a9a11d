import { describe, expect, test } from '@jest/globals';
import { type CatalogModel, readBuiltInCatalog } from '../catalog/document/index.js';
import { NO_CAPABILITIES } from '../upstreams/index.js';
import { createReplayParser, createRequestParser } from './index.js';

const [model] = readBuiltInCatalog().models.values();
if (!model) {
  throw new Error('the built-in catalog is empty');
}
const ids = Array.from({ length: 57 }, (_, n) => `a-model-with-a-name-${n}`);
const parser = createRequestParser({
  models: ids.map((id) => ({ ...model, id })),
  isAllowedImageUrl: () => true,
  isAllowedWebhookUrl: () => true,
});
const parseFault = (body: unknown, onlyModels?: readonly string[]): string => {
  const parsed = parser.parse(body, onlyModels);
  return 'fault' in parsed ? parsed.fault : '';
};

describe('the fault of an unknown model', () => {
  test('the fault of an unknown model has at most 400 characters, however many are on offer', () => {
    const fault = parseFault({ model: 'other', prompt: 'x' });
    expect(fault.length).toBeLessThanOrEqual(400);
    expect(fault).toMatch(
      /^model must be one of "a-model-with-a-name-0", .* or 46 more; GET \/v1\/models lists them\.$/,
    );
    expect(parseFault({})).toBe(fault);
  });

  test('the fault of an unknown model names only those that the key may use', () => {
    expect(parseFault({ model: 'other' }, [ids[3] ?? ''])).toBe('model must be "a-model-with-a-name-3".');
    expect(parseFault({ model: 'other' }, [ids[4] ?? '', 'gone', ids[2] ?? ''])).toBe(
      'model must be one of "a-model-with-a-name-2", "a-model-with-a-name-4".',
    );
    expect(parseFault({ model: 'other' }, ['gone'])).toBe(
      'model must be a model that is on offer; none is at present.',
    );
  });

  test('a body that is no object is told so', () => {
    for (const body of [[], null, 'x', 5]) {
      expect(parseFault(body)).toBe('The body must be a JSON object.');
    }
  });
});

/** Parser of a model whose first route takes seeds, and whose second one formats, transparency and qualities. */
function createTakingParser() {
  const [route] = model?.routes ?? [];
  if (!model || !route) {
    throw new Error('the built-in catalog has no route');
  }
  const base = { ...route, sizes: {}, defaultQuality: null };
  const cost = { low: 1_000n, high: 2_000n };
  const routes: CatalogModel['routes'] = [
    {
      ...base,
      costMicros: { '1k': { low: cost.low }, '2k': 1_000n },
      accepts: { ...NO_CAPABILITIES, quality: ['low'], seed: 99 },
    },
    {
      ...base,
      costMicros: { '1k': cost, '2k': 1_000n },
      accepts: {
        ...NO_CAPABILITIES,
        quality: ['low', 'high'],
        outputFormat: ['jpeg', 'webp'],
        background: ['opaque', 'transparent'],
      },
    },
  ];
  const priceMicros = { '1k': { low: 10_000n, high: 40_000n }, '2k': 50_000n };
  const urls = { isAllowedImageUrl: () => true, isAllowedWebhookUrl: () => true };
  return createRequestParser({ models: [{ ...model, id: 'priced', priceMicros, routes }], ...urls });
}

describe('fields that routes may not take', () => {
  const taking = createTakingParser();
  const parse = (fields: object) => {
    const parsed = taking.parse({ model: 'priced', prompt: 'x', ...fields });
    return 'fault' in parsed ? parsed.fault : parsed.given;
  };
  const given = { model: 'priced', prompt: 'x' };

  test.each([
    [{ quality: 'high' }],
    [{ seed: 0 }],
    [{ seed: 4_294_967_295, quality: 'low' }],
    [{ output_format: 'jpeg', background: 'opaque' }],
    [{ output_format: 'webp', background: 'transparent', quality: 'high' }],
  ])('%j is taken by one route', (fields) => {
    expect(parse(fields)).toEqual({ ...given, ...fields });
  });

  test('auto is the same as absent, where the field has it', () => {
    expect(parse({ quality: 'auto', background: 'auto' })).toEqual(given);
    expect(parse({ output_format: 'auto' })).toBe('output_format must be one of "jpeg", "webp".');
  });

  test.each([
    [{ quality: 'medium' }, 'quality must be one of "auto", "low", "high".'],
    [{ quality: 'low', resolution: '2k' }, 'quality must be "auto" at 2k with priced.'],
    [{ seed: -1 }, 'seed must be an integer from 0 to 4294967295.'],
    [{ seed: 4_294_967_296 }, 'seed must be an integer from 0 to 4294967295.'],
    [{ seed: '7' }, 'seed must be an integer from 0 to 4294967295.'],
    [{ output_format: 'png' }, 'output_format must be one of "jpeg", "webp".'],
    [{ background: 'blue' }, 'background must be one of "auto", "opaque", "transparent".'],
    [
      { background: 'transparent', output_format: 'jpeg' },
      'background must not be "transparent" with output_format "jpeg".',
    ],
    [
      { seed: 1, quality: 'high' },
      'seed must be absent: no single route of priced takes it with quality and the rest of the request.',
    ],
    [
      { seed: 1, output_format: 'webp' },
      'seed must be absent: no single route of priced takes it with output_format and the rest of the request.',
    ],
  ])('%j is refused by name', (fields, fault) => {
    expect(parse(fields)).toBe(fault);
  });

  test('a mask counts among the fields that one route must take together', () => {
    const find = (fields: object) => {
      const body = { model: 'priced', prompt: 'x', image_urls: ['https://x.example/a.png'], ...fields };
      const parsed = taking.parse(body, [], { mask: 'input:0000000000000000000000' });
      return 'fault' in parsed ? parsed.fault : null;
    };
    const single = (beside: string) => `no single route of priced takes ${beside} the rest of the request.`;
    expect(find({})).toBe(`mask must be absent: ${single('it with')}`);
    expect(find({ seed: 1 })).toBe(`mask must be absent: ${single('it with seed and')}`);
    expect(find({ seed: 1, output_format: 'webp' })).toBe(
      `seed, output_format, mask must be absent: ${single('them with')}`,
    );
  });

  test('a model with plain prices takes no quality', () => {
    const [pro] = [...readBuiltInCatalog().models.values()].filter(({ id }) => id === 'nanobanana-pro');
    const urls = { isAllowedImageUrl: () => true, isAllowedWebhookUrl: () => true };
    const plain = createRequestParser({ models: [model, ...(pro ? [pro] : [])], ...urls });
    for (const id of ['nanobanana', 'nanobanana-pro']) {
      expect(plain.parse({ model: id, prompt: 'x', quality: 'medium' })).toEqual({
        fault: 'quality must be "auto".',
      });
      expect(plain.parse({ model: id, prompt: 'x', quality: 'auto' })).toHaveProperty('request');
    }
  });

  test('a repetition may carry any value of them, since the release that accepted it ignored them', () => {
    const parseReplay = createReplayParser({
      isAllowedImageUrl: () => true,
      isAllowedWebhookUrl: () => true,
    });
    const body = { ...given, quality: 5, seed: 'x', output_format: 'tiff', background: {} };
    expect(parseReplay(body)).toMatchObject({ given: body });
  });
});

describe('a model whose routes need several images', () => {
  const [route] = model.routes;
  const needing = createRequestParser({
    models: [
      {
        ...model,
        id: 'joined',
        types: ['image_edit'],
        maxInputs: 3,
        routes: route ? [{ ...route, sizes: {}, types: ['image_edit'], minInputs: 2, maxInputs: 3 }] : [],
      },
    ],
    isAllowedImageUrl: () => true,
    isAllowedWebhookUrl: () => true,
  });
  test.each([
    [1, 'image_urls must be a list of at least 2 URLs for 16:9 at 1k with joined.'],
    [2, null],
    [3, null],
  ])('a model whose routes need several images is asked with %d', (count, fault) => {
    const image_urls = Array.from({ length: count }, (_, at) => `https://images.example/${at}.png`);
    const parsed = needing.parse({
      model: 'joined',
      prompt: 'x',
      image_urls,
      resolution: '1k',
      aspect_ratio: '16:9',
    });
    expect('fault' in parsed ? parsed.fault : null).toBe(fault);
  });
});
