import { type Catalog, checkDocument } from '@image-gateway/shared/catalog/document';
import type { ChosenProviders } from '@image-gateway/shared/upstreams';
import { describe, expect, test } from '@jest/globals';
import { createRouteFinder, type RoutedTask, type RouteSettings } from './find-routes.js';

const read = (source: string): Catalog => {
  const checked = checkDocument(source);
  if ('faults' in checked) {
    throw new Error(JSON.stringify(checked.faults));
  }
  return checked.catalog;
};
const choose = (builtIn: ChosenProviders['builtIn'], named: readonly string[] | null = null) => ({
  builtIn,
  named,
  unused: [],
  faults: [],
  sandboxServesRest: builtIn.join() === 'sandbox',
});
/** Finds the routes over versions from the oldest to the active one. */
const find = (
  versions: readonly string[],
  task: Partial<RoutedTask>,
  settings: Partial<RouteSettings> = {},
  options: { readonly isBehind?: boolean } = {},
) => {
  const catalogs = versions.map(read);
  const at = (index: number) => ({
    version: index + 1,
    newestVersion: catalogs.length,
    catalog: catalogs[index] as Catalog,
  });
  const finder = createRouteFinder(
    {
      load: async () => at(options.isBehind ? 0 : catalogs.length - 1),
      refresh: async () => at(catalogs.length - 1),
      findEarlier: async (before, accepts) => {
        const index = catalogs.findLastIndex((catalog, i) => i + 1 < before && accepts(catalog));
        return index === -1 ? null : at(index);
      },
    },
    {
      chosen: choose(['openai', 'gemini', 'fal']),
      readKeys: () => [],
      ENABLED_MODELS: undefined,
      GENERATION_CONCURRENCY: 40,
      ...settings,
    },
  );
  return finder({
    ...({ id: 't', model: 'nanobanana', resolution: '1k', type: 'image_generate' } as const),
    aspectRatio: '16:9',
    imageUrls: [],
    ...task,
  });
};
const FLUX = (upstream: string, more = '') => `
models:
  flux:
    types: [image_generate]
    price: { 1k: "0.004" }
    aspect_ratios: ["16:9", "9:16"]
    ${more}
    routes:
      - { provider: fal, model: ${upstream}, cost: { 1k: "0.001" }, sizes: { "16:9": { 1k: 1344x768 } } }
      - { provider: openai, model: ${upstream}, cost: { 1k: "0.002" }, concurrency: 2, resolution: fixed }`;

describe('the routes of a task', () => {
  test('the routes of a task are those of the document in its order, with sizes, and as many calls as the worker has places', async () => {
    const routes = await find([FLUX('a')], { model: 'flux' });
    expect(routes).toMatchObject([
      { provider: 'fal', concurrency: 40, size: '1344x768', takesResolution: true },
      { provider: 'openai', concurrency: 2, takesResolution: false },
    ]);
    const upright = await find([FLUX('a')], { model: 'flux', aspectRatio: '9:16' });
    expect(upright.map(({ provider }) => provider)).toEqual(['openai']);
  });

  test('the routes of a built-in model follow the order of PROVIDERS', async () => {
    const routes = await find([''], {});
    expect([...new Set(routes.map(({ provider }) => provider))]).toEqual(['openai', 'gemini', 'fal']);
    expect(await find([''], {}, { chosen: choose(['replicate']) })).toMatchObject([
      { model: 'google/nano-banana-2.1', takesResolution: true },
      { model: 'google/nano-banana', takesResolution: false },
    ]);
  });

  test('the routes of a task are those of the newest version that still offers the task', async () => {
    const models = async (...versions: string[]) =>
      (await find(versions, { model: 'flux' })).map(({ model }) => model);
    expect(await models(FLUX('a'), FLUX('b'))).toEqual(['b', 'b']);
    expect(await models(FLUX('a'), FLUX('b'), '')).toEqual(['b', 'b']);
    expect(await models(FLUX('a'), FLUX('b', 'enabled: false'))).toEqual(['a', 'a']);
    expect(await models('')).toEqual([]);
    const behind = await find(['', FLUX('a')], { model: 'flux' }, {}, { isBehind: true });
    expect(behind.map(({ model }) => model)).toEqual(['a', 'a']);
  });

  test('the routes of a task are the sandbox for every model where it is the only provider, and nowhere else', async () => {
    const drawn = await find([FLUX('a')], { model: 'flux' }, { chosen: choose(['sandbox']) });
    expect(drawn).toMatchObject([{ provider: 'sandbox', listCostMicros: 0n, takesResolution: true }]);
    const others = { chosen: choose(['sandbox', 'replicate']) };
    expect(await find([FLUX('a')], { model: 'flux' }, others)).toEqual([]);
  });

  test('the routes of a task lead to instances whose keys are there, and which PROVIDERS names where it is set', async () => {
    const document = `
providers:
  gpu-1: { protocol: openai, base_url: "http://10.0.0.5:8000" }
  gpu-2: { protocol: fal, base_url: "http://10.0.0.6", key_env: GPU_KEYS }
models:
  flux:
    types: [image_generate]
    price: { 1k: "0.004" }
    routes:
      - { provider: gpu-2, model: a, cost: { 1k: "0" } }
      - { provider: gpu-1, model: b, cost: { 1k: "0" } }`;
    const list = async (settings: Partial<RouteSettings>) =>
      (await find([document], { model: 'flux' }, settings)).map(({ provider }) => provider);
    const readKeys = () => ['k'];
    expect(await list({ chosen: choose([]) })).toEqual(['gpu-1']);
    expect(await list({ chosen: choose([]), readKeys })).toEqual(['gpu-2', 'gpu-1']);
    expect(await list({ chosen: choose([], ['gpu-2', 'gemini']), readKeys })).toEqual(['gpu-2']);
    expect(await list({ chosen: choose(['sandbox'], ['sandbox']) })).toEqual(['sandbox']);
    const [first] = await find([document], { model: 'flux' }, { chosen: choose([]) });
    expect(first).toMatchObject({ instance: { protocol: 'openai', baseUrl: 'http://10.0.0.5:8000' } });
  });
});
