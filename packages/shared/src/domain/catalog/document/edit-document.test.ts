import { describe, expect, test } from '@jest/globals';
import {
  addModel,
  checkDocument,
  editModels,
  keepProviders,
  type RouteEdit,
  removeProviders,
} from './index.js';

const SOURCE = `# prices of spring
models:
  nanobanana: { price: { 1k: "0.05", 2k: "0.05", 4k: "0.05" } } # dearer
  sketch:
    price: { 1k: "0.01" }
    routes: [{ provider: my-gpu, model: m, cost: { 1k: "0" } }]
providers:
  # in the cellar
  my-gpu: { protocol: openai, base_url: "http://10.0.0.5:8000/v1", key_env: MY_GPU_KEYS }
`;

describe('a document that is edited', () => {
  test('a document that is edited keeps comments and everything but the changed switches and prices', () => {
    const price = { '1k': '0.06', '2k': '0.07', '4k': '0.08' };
    const edited = editModels(SOURCE, [{ id: 'nanobanana', enabled: false, price }]);
    expect(edited).toContain('# prices of spring');
    expect(edited).toContain('# in the cellar');
    expect(edited).toContain('sketch:\n    price: { 1k: "0.01" }');
    expect(checkDocument(edited)).toMatchObject({
      document: { models: { nanobanana: { enabled: false, price }, sketch: { price: { '1k': '0.01' } } } },
    });
  });

  test('a document that gets a new model keeps everything else, and the lines of the model are those in it', () => {
    const entry = {
      types: ['image_generate'],
      price: { '1k': '0.02' },
      aspect_ratios: ['1:1'],
      routes: [{ provider: 'my-gpu', model: 'm2', cost: { '1k': '0.01' }, types: ['image_generate'] }],
    } as const;
    const added = addModel(SOURCE, 'flux', entry);
    if ('faults' in added) {
      throw new Error(JSON.stringify(added.faults));
    }
    expect(added.source).toContain('# prices of spring');
    expect(added.source).toContain('sketch:\n    price: { 1k: "0.01" }');
    expect(checkDocument(added.source)).toMatchObject({ document: { models: { flux: entry } } });
    expect(added.source).toContain(added.lines.trimEnd().replaceAll('\n', '\n  '));
    expect(added.lines).toMatch(/^flux:\n {2}types: \[ image_generate \]\n/);
    expect(addModel('', 'flux', entry)).toMatchObject({ source: expect.stringContaining('models:') });
  });

  test.each(['sketch', 'nanobanana', 'gpt-image'])(
    'a model that there is cannot be added again: %s',
    (id) => {
      expect(addModel(SOURCE, id, {})).toEqual({
        faults: [{ path: `models.${id}`, message: 'is a model of the catalog already' }],
      });
    },
  );

  test('a document that is edited takes prices by quality', () => {
    const price = { '1k': '0.06', '2k': '0.07', '4k': { medium: '0.08' } };
    expect(checkDocument(editModels(SOURCE, [{ id: 'nanobanana', enabled: true, price }]))).toMatchObject({
      document: { models: { nanobanana: { price } } },
    });
  });

  test.each(['', '{}', '{"models": {}}'])('may be nearly empty: %j', (source) => {
    const edit = {
      id: 'nanobanana',
      enabled: true,
      price: { '1k': '0.1', '2k': '0.1', '4k': '0.10' },
    };
    expect(checkDocument(editModels(source, [edit]))).toMatchObject({
      document: { models: { nanobanana: { price: edit.price } } },
    });
  });

  test('a document that is edited without its providers gets them back as they were', () => {
    const shown = removeProviders(SOURCE);
    expect(shown).not.toMatch(/providers|10\.0\.0\.5|cellar/);
    const kept = keepProviders(shown, SOURCE);
    expect(checkDocument('source' in kept ? kept.source : '')).toEqual(checkDocument(SOURCE));
  });

  test('a document that is edited with providers of its own is refused', () => {
    const other = SOURCE.replace('10.0.0.5', 'attacker.example');
    expect(keepProviders(other, SOURCE)).toMatchObject({ faults: [{ path: 'providers' }] });
    expect(keepProviders('providers: {}', SOURCE)).toMatchObject({ faults: [{ path: 'providers' }] });
    expect(keepProviders('models: [', SOURCE)).toMatchObject({ faults: [{ path: '' }] });
  });
});

const TWO = `models:
  sketch:
    price: { 1k: "0.01" }
    routes:
      # ours first
      - { provider: my-gpu, model: a, cost: { 1k: "0.001" } } # in the cellar
      - provider: fal
        model: b
        cost: { 1k: "0.002" }
        options: { seed: 7 }
`;

const readRoutes = (source: string, id: string) => {
  const checked = checkDocument(source);
  if ('faults' in checked) {
    throw new Error(JSON.stringify(checked.faults));
  }
  return checked.document.models[id]?.routes ?? [];
};

describe('routes that are edited', () => {
  const providers = SOURCE.slice(SOURCE.indexOf('providers:'));
  const edit = (routes: readonly RouteEdit[]) => editModels(TWO + providers, [{ id: 'sketch', routes }]);

  test('routes that are edited keep their comments and the fields that do not change', () => {
    const edited = edit([
      { place: 1, fields: { weight: 3, cost: { '1k': '0.003' } } },
      { place: null, fields: { provider: 'openai', model: 'c', cost: { '1k': '0.004' } } },
      { place: 0, fields: {} },
    ]);
    expect(edited).toContain('# in the cellar');
    expect(readRoutes(edited, 'sketch')).toEqual([
      {
        provider: 'fal',
        model: 'b',
        cost: { '1k': '0.003' },
        options: { seed: 7 },
        weight: 3,
      },
      { provider: 'openai', model: 'c', cost: { '1k': '0.004' } },
      { provider: 'my-gpu', model: 'a', cost: { '1k': '0.001' } },
    ]);
  });

  test('routes that are edited lose what is taken away: a route, and a field of one', () => {
    const edited = edit([{ place: 1, fields: { options: null } }]);
    expect(readRoutes(edited, 'sketch')).toEqual([{ provider: 'fal', model: 'b', cost: { '1k': '0.002' } }]);
  });

  test('built-in routes are written out without an anchor when their order is edited', () => {
    const before = readRoutes('', 'nanobanana');
    const edited = editModels('', [
      {
        id: 'nanobanana',
        routes: before.map((_, index) => ({ place: before.length - 1 - index, fields: {} })),
      },
    ]);
    expect(edited).not.toMatch(/[&*]a\d/);
    expect(readRoutes(edited, 'nanobanana')).toEqual([...before].reverse());
  });

  test('a built-in model keeps everything else when prices and routes of it are edited', () => {
    const read = (source: string) => {
      const checked = checkDocument(source);
      return 'faults' in checked ? checked : checked.document.models['gpt-image'];
    };
    const price = { '1k': { medium: '0.05' } };
    const priced = editModels('models: {}', [{ id: 'gpt-image', price }]);
    const routed = editModels(priced, [{ id: 'gpt-image', routes: [{ place: 1, fields: { weight: 2 } }] }]);
    const [, kept] = readRoutes('', 'gpt-image');
    expect(read(routed)).toEqual({ ...read(''), price, routes: [{ ...kept, weight: 2 }] });
  });
});
