import { describe, expect, test } from '@jest/globals';
import { FAULTY_DOCUMENTS, FLUX, flux } from '../../../../test/catalog/faulty-documents.js';
import { BUILT_IN_DOCUMENT, checkDocument, findLosses, formatFault, readStoredDocument } from './index.js';

const findFaults = (source: string): string[] => {
  const checked = checkDocument(source);
  return 'faults' in checked ? checked.faults.map(formatFault) : [];
};

describe('a catalog document', () => {
  test('a catalog document that is right is merged over the built-in one, with defaults', () => {
    const checked = checkDocument(FLUX);
    if ('faults' in checked) {
      throw new Error(checked.faults.map(formatFault).join('\n'));
    }
    const model = checked.catalog.models.get('flux');
    expect([...checked.catalog.models.keys()]).toEqual(['nanobanana', 'nanobanana-pro', 'gpt-image', 'flux']);
    expect(model).toMatchObject({
      name: 'flux',
      enabled: true,
      priceMicros: { '1k': 4000n },
      defaultResolution: '1k',
      defaultAspectRatio: '16:9',
      maxInputs: 9,
      maxOutputs: 4,
      hasBuiltInRoutes: false,
      facadeAspectRatios: ['16:9', '1:1'],
    });
    expect(checked.catalog.instances.get('my-gpu')).toEqual({
      name: 'my-gpu',
      protocol: 'openai',
      baseUrl: 'http://10.0.0.5:8000/v1',
      apiPath: null,
      repeatUnknown: false,
      keyEnv: 'MY_GPU_KEYS',
      concurrency: 8,
      task: null,
    });
  });

  test('a catalog document changes a built-in model field by field', () => {
    const checked = checkDocument('models: { nanobanana: { price: { 1k: "0.05", 2k: "0.07", 4k: "0.2" } } }');
    if ('faults' in checked) {
      throw new Error(checked.faults.map(formatFault).join('\n'));
    }
    expect(checked.catalog.models.get('nanobanana')).toMatchObject({
      priceMicros: { '1k': 50_000n, '2k': 70_000n, '4k': 200_000n },
      enabled: true,
      hasBuiltInRoutes: true,
    });
    expect(checked.catalog.models.get('nanobanana')?.routes).toHaveLength(
      BUILT_IN_DOCUMENT.models.nanobanana.routes.length,
    );
  });

  test('a catalog document has prices and costs by quality, and says what a route takes', () => {
    const source = FLUX.replace(
      '{ 1k: "0.0040" }',
      '{ 1k: { low: "0.002", high: "0.09" }, 2k: "0.05" }',
    ).replace(
      'cost: { 1k: "0.0005" }',
      'cost: { 1k: { low: "0.001", high: "0.08" }, 2k: "0.04" }\n        accepts: { quality: [low, high], seed: 99 }\n        timeout: 900',
    );
    const checked = checkDocument(source);
    if ('faults' in checked) {
      throw new Error(checked.faults.map(formatFault).join('\n'));
    }
    expect(checked.catalog.models.get('flux')).toMatchObject({
      priceMicros: { '1k': { low: 2_000n, high: 90_000n }, '2k': 50_000n },
      routes: [
        {
          costMicros: { '1k': { low: 1_000n, high: 80_000n }, '2k': 40_000n },
          accepts: { quality: ['low', 'high'], seed: 99, mask: false },
          timeoutMs: 900_000,
        },
      ],
    });
    expect(readStoredDocument(JSON.parse(JSON.stringify(checked.document)))).toEqual(checked.catalog);
  });

  test('a catalog document whose price of a quality is below its cost is reported for that quality', () => {
    const source = FLUX.replace('{ 1k: "0.0040" }', '{ 1k: { low: "0.002", high: "0.07" } }').replace(
      '{ 1k: "0.0005" }',
      '{ 1k: { low: "0.001", high: "0.08" } }',
    );
    const checked = checkDocument(source);
    expect(
      'catalog' in checked && findLosses(checked.catalog, (name) => name === 'my-gpu').map(formatFault),
    ).toEqual([
      'models.flux.price.1k.high: sold below cost: $0.0700 an image, the cheapest route (my-gpu FLUX.1-schnell) costs $0.0800',
    ]);
  });

  test('prices by quality replace those of a built-in model as a whole', () => {
    const source = 'models: { nanobanana: { price: { 1k: "0.05", 2k: "0.05", 4k: { medium: "0.2" } } } }';
    const checked = checkDocument(source);
    expect(checked).toMatchObject({
      document: {
        models: { nanobanana: { price: { '1k': '0.05', '2k': '0.05', '4k': { medium: '0.2' } } } },
      },
    });
  });

  test('a catalog document may be empty or JSON', () => {
    expect(findFaults('')).toEqual([]);
    expect(findFaults('{"models": {"nanobanana": {"enabled": false}}}')).toEqual([]);
  });

  test.each(FAULTY_DOCUMENTS)('a catalog document with %s is refused', (_kind, source, expected) => {
    const faults = findFaults(source);
    expect(faults).not.toEqual([]);
    for (const pattern of expected) {
      expect(faults).toContainEqual(expect.stringMatching(pattern));
    }
  });

  test('a catalog document with many faults names all of them at once, and none that only follows from another', () => {
    const faults = findFaults(
      flux('colour: red')
        .replace('"0.0040"', '"-1"')
        .replace('key_env: MY_GPU_KEYS', 'key_env: S3_ACCESS_KEY')
        .replace('[flux-1]', '[nanobanana]')
        .concat('  nanobanana: { max_inputs: 3 }\n'),
    );
    expect(faults.map((fault) => fault.split(':')[0])).toEqual([
      'models.flux.price.1k',
      'models.flux.colour',
      'providers.my-gpu.key_env',
      'models.nanobanana.max_inputs',
      'models.flux.aliases.0',
    ]);
  });

  test.each([
    'password: "s3cret',
    'password: s3cret: x',
    'password: &s3cret {}',
    'password: *s3cret',
    'password: !s3cret x',
    '- s3cret\n s3cret',
    '"\\s3cret": x',
    's3cret: 1\ns3cret: 2',
    '%YAML s3cret\n---\n{}',
    'models: { nanobanana: { price: { 1k: s3cret }, routes: [{ provider: fal, cost: s3cret }] } }',
    'providers: { p: { protocol: s3cret, base_url: "http://u:s3cret@host/", key_env: s3cret } }',
  ])('a catalog document is never quoted in a fault, because it may hold a secret: %j', (source) => {
    const faults = findFaults(source);
    expect(faults).not.toEqual([]);
    expect(faults.join()).not.toContain('s3cret');
  });

  test('a catalog document never gives a prototype a meaning', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect(
        findFaults(
          `models: { m: { price: { 1k: "1" }, routes: [{ provider: "${name}", model: x, cost: { 1k: "0" } }] } }`,
        ),
      ).toEqual([expect.stringContaining(`unknown provider "${name}"`)]);
    }
    expect(findFaults('__proto__: { models: {} }')).not.toEqual([]);
  });
});

test('a price below the cheapest cost of the providers in use is reported with both numbers', () => {
  const checked = checkDocument('');
  if ('faults' in checked) {
    throw new Error('the built-in document has faults');
  }
  expect(findLosses(checked.catalog, (provider) => provider === 'fal').map(formatFault)).toEqual([
    'models.nanobanana.price.1k: sold below cost: $0.0100 an image, the cheapest route (fal fal-ai/nano-banana) costs $0.0390',
    'models.nanobanana.price.2k: sold below cost: $0.0100 an image, the cheapest route (fal google/nano-banana-2.1) costs $0.0590',
    'models.nanobanana.price.4k: sold below cost: $0.0100 an image, the cheapest route (fal google/nano-banana-2.1) costs $0.1340',
    'models.nanobanana-pro.price.1k: sold below cost: $0.0160 an image, the cheapest route (fal fal-ai/nano-banana-pro) costs $0.1500',
    'models.nanobanana-pro.price.2k: sold below cost: $0.0160 an image, the cheapest route (fal fal-ai/nano-banana-pro) costs $0.1500',
    'models.nanobanana-pro.price.4k: sold below cost: $0.0320 an image, the cheapest route (fal fal-ai/nano-banana-pro) costs $0.3000',
  ]);
  expect(findLosses(checked.catalog, (provider) => provider === 'sandbox')).toEqual([]);
});

test('a price below the cheapest cost is reported while no provider has a key', () => {
  const checked = checkDocument(
    `models:
  m:
    price: { 1k: "0.01" }
    routes: [{ provider: fal, model: a, cost: { 1k: "0.02" } }, { provider: openai, model: b, cost: { 1k: "0.03" } }]`,
  );
  expect('catalog' in checked && findLosses(checked.catalog, () => false).map(formatFault)).toEqual([
    'models.m.price.1k: sold below cost: $0.0100 an image, the cheapest route (fal a) costs $0.0200',
  ]);
});

describe('a document that is nested too deeply', () => {
  const levels = 20_000;
  test.each([
    ['lists in lists', `x: ${'['.repeat(levels)}`],
    ['mappings in mappings', `x: ${'{a: '.repeat(levels)}`],
    ['items in items', `${'- '.repeat(levels)}x`],
    ['keys in keys', `${'? '.repeat(levels)}x`],
    ['ever wider blocks', Array.from({ length: 1_400 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
  ])('a document that is nested too deeply is refused before the parser sees it: %s', (_what, source) => {
    expect(findFaults(source)).toEqual([expect.stringContaining('nested deeper than 20 levels')]);
  });

  test('brackets in a text are no nesting', () => {
    expect(findFaults(`models: { x: { name: "${'['.repeat(99)}" } }`).join()).not.toContain('nested');
  });
});

describe('a stored document', () => {
  test('a stored document is read as it was checked', () => {
    const checked = checkDocument(FLUX);
    if ('faults' in checked) {
      throw new Error('faults');
    }
    expect(readStoredDocument(JSON.parse(JSON.stringify(checked.document)))).toEqual(checked.catalog);
  });

  test.each([null, [], 'text', { models: { flux: { price: 1 } } }, { default_model: 'x', models: {} }])(
    'a stored document that is broken (%j) is not readable',
    (document) => {
      expect(() => readStoredDocument(document)).toThrow();
    },
  );
});
