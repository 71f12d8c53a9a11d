import { describe, expect, test } from '@jest/globals';
import { addModel, checkDocument, editModels, keepProviders, removeProviders } from './index.js';

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
