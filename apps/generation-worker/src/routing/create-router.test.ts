import { readBuiltInCatalog } from '@image-gateway/shared/catalog/document';
import type { CallRow } from '@image-gateway/shared/db';
import { type Route, readRoutes } from '@image-gateway/shared/upstreams';
import { describe, expect, test } from '@jest/globals';
import type { ImageProvider } from '../providers/port.js';
import { createRouter } from './create-router.js';
import { createRouteFinder, type RoutedTask } from './find-routes.js';

const provider = (name: string): ImageProvider =>
  ({ name, upstream: true, asynchronous: name === 'fal' }) as ImageProvider;
const key = (fingerprint: string) => ({ fingerprint, secret: `secret-${fingerprint}` });
const table = (...routes: object[]) =>
  readRoutes({
    models: {
      nanobanana: routes.map((route) => ({
        ...{ provider: 'gemini', model: 'm', cost_per_image: { '1k': '0.1' } },
        ...route,
      })),
    },
  });
const task: RoutedTask = {
  ...({
    id: 't',
    model: 'nanobanana',
    resolution: '1k',
    type: 'image_generate',
    aspectRatio: '16:9',
  } as const),
  imageUrls: [],
};
const findIn = (fileRoutes: ReturnType<typeof table>) =>
  createRouteFinder(
    {
      load: async () => ({ version: 1, newestVersion: 1, catalog: readBuiltInCatalog() }),
      findEarlier: async () => null,
    },
    { PROVIDERS: ['gemini', 'fal'], ENABLED_MODELS: undefined, GENERATION_CONCURRENCY: 16, fileRoutes },
  );
const gemini = { provider: provider('gemini'), keys: [key('g')] };

describe('the candidates of a task', () => {
  test('the candidates of a task stand in the order of the table, without providers that are not configured', async () => {
    const router = createRouter(
      [gemini, { provider: provider('fal'), keys: [key('f')] }],
      findIn(table({ provider: 'fal' }, { provider: 'openai' }, {})),
    );
    expect((await router.listCandidates(task)).map(({ provider: { name } }) => name)).toEqual([
      'fal',
      'gemini',
    ]);
    expect(await router.listCandidates({ ...task, model: 'other' })).toEqual([]);
  });

  test.each<[string, object, Partial<RoutedTask>]>([
    ['resolution', { cost_per_image: { '2k': '0.1' } }, {}],
    ['kind of task', { types: ['image_edit'] }, {}],
    [
      'number of input images',
      { max_inputs: 2 },
      { type: 'image_edit', imageUrls: ['a', 'b', 'c'] } as const,
    ],
  ])('the candidates of a task leave out what cannot do the %s', async (_what, route, asked) => {
    const able = { model: 'able', cost_per_image: { '1k': '0.2', '4k': '0.3' } };
    const [first, ...rest] = await createRouter([gemini], findIn(table(route, able))).listCandidates({
      ...task,
      ...asked,
    });
    expect(rest).toEqual([]);
    expect(first).toMatchObject({ model: 'able', listCostMicros: 200_000n, takesResolution: true });
  });

  test('the candidates of a task of a model with one resolution are not told about it', async () => {
    const [first] = await createRouter([gemini], findIn(table({}))).listCandidates(task);
    expect(first?.takesResolution).toBe(false);
  });

  test('the candidates of a task use several keys in turn, and have the others in reserve', async () => {
    const keys = [key('1'), key('2'), key('3')];
    const router = createRouter([{ provider: provider('gemini'), keys }], findIn(table({})));
    const orders: string[] = [];
    for (let i = 0; i < 4; i++) {
      orders.push((await router.listCandidates(task)).map((one) => one.key?.fingerprint).join(''));
    }
    expect(new Set(orders.slice(0, 3))).toEqual(new Set(['123', '231', '312']));
    expect(orders[3]).toBe(orders[0]);
  });

  test('the candidates of a task with a weight share the tasks by it, the same way for the same task each time', async () => {
    const router = createRouter(
      [gemini],
      findIn(table({ model: 'x', weight: 3 }, { model: 'y', weight: 1 }, { model: 'z' })),
    );
    const firsts: (string | undefined)[] = [];
    for (let i = 0; i < 2_000; i++) {
      const candidates = await router.listCandidates({ ...task, id: `gen_${i}` });
      expect(candidates[2]?.model).toBe('z');
      firsts.push(candidates[0]?.model);
    }
    const share = firsts.filter((model) => model === 'x').length / firsts.length;
    expect(share).toBeGreaterThan(0.7);
    expect(share).toBeLessThan(0.8);
    expect((await router.listCandidates({ ...task, id: 'gen_7' }))[0]?.model).toBe(firsts[7]);
  });
});

describe('a call that was made', () => {
  const call: CallRow = {
    ...{ id: 'c', attempt: 1, model: 'old', slots: [0, 2], requestId: 'j', jobHandle: null, detail: null },
    ...({ provider: 'fal', keyFingerprint: 'f', state: 'submitted', costMicros: 80n } as const),
  };
  const router = createRouter([gemini, { provider: provider('fal'), keys: [key('f')] }], findIn(table({})));

  test('a call that was made is asked about with its own key and model, at the price it was written down with', () => {
    expect(router.findMaker(call)).toMatchObject({ model: 'old', listCostMicros: 40n, key: key('f') });
  });

  test('a call that was made can be asked about by nobody when its provider or its key is gone', () => {
    expect(router.findMaker({ ...call, keyFingerprint: 'x' })).toBeNull();
    expect(router.findMaker({ ...call, provider: 'openai' })).toBeNull();
  });

  test('a call that was made is known to be synchronous or not', () => {
    expect([router.isSynchronous('gemini'), router.isSynchronous('fal'), router.isSynchronous('x')]).toEqual([
      ...[true, false, false],
    ]);
  });
});

describe('the routing table', () => {
  test('the routing table names every fault and where it stands', () => {
    const faulty = {
      models: { nanobanana: [{ provider: 'dalle', model: '', cost_per_image: { '1k': 0.1 } }] },
    };
    expect(() => readRoutes(faulty)).toThrow(
      /nanobanana\[0\]\.provider.*nanobanana\[0\]\.model.*nanobanana\[0\]\.cost_per_image\.1k/s,
    );
  });

  test('the routing table counts dollars to the micro-dollar', () => {
    const [route] = table({ cost_per_image: { '1k': '0.0336', '2k': '12', '4k': '0' } }).nanobanana as [
      Route,
    ];
    expect(route.costMicros).toEqual({ '1k': 33_600n, '2k': 12_000_000n, '4k': 0n });
  });
});
