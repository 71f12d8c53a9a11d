import type { CallRow } from '@image-gateway/shared/db';
import { ALL_CAPABILITIES } from '@image-gateway/shared/upstreams';
import { describe, expect, test } from '@jest/globals';
import type { Provider } from '../providers/create-providers.js';
import type { ImageProvider } from '../providers/port.js';
import { NO_TERMS } from './choose-fields.js';
import { createRouter, type Router } from './create-router.js';
import type { FindRoutes, RoutedTask, TaskRoute } from './find-routes.js';

const provider = (name: string): ImageProvider =>
  ({ name, upstream: true, asynchronous: name === 'fal' }) as ImageProvider;
const key = (fingerprint: string) => ({ fingerprint, secret: `secret-${fingerprint}` });
/** Routes through gemini unless they say otherwise. */
const table =
  (...routes: Partial<TaskRoute>[]): FindRoutes =>
  () =>
    Promise.resolve(
      routes.map((route) => ({
        provider: 'gemini',
        model: 'm',
        listCostMicros: 100_000n,
        terms: NO_TERMS,
        weight: null,
        options: {},
        maxImagesPerCall: 1,
        concurrency: 16,
        timeoutMs: null,
        tokenCost: null,
        takesResolution: true,
        ...route,
      })),
    );
const over = (findRoutes: FindRoutes, ...configured: Provider[]): Router => {
  const find = (name: string) => configured.find(({ provider }) => provider.name === name) ?? null;
  return createRouter({ find, findMaker: (call) => find(call.provider) }, findRoutes, () =>
    Promise.resolve(null),
  );
};
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
const gemini = { provider: provider('gemini'), keys: [key('g')] };

describe('the candidates of a task', () => {
  test('the candidates of a task stand in the order of the table, without providers that are not configured', async () => {
    const fal = { provider: provider('fal'), keys: [key('f')] };
    const router = over(table({ provider: 'fal' }, { provider: 'openai' }, {}), gemini, fal);
    expect((await router.listCandidates(task)).map(({ provider: { name } }) => name)).toEqual([
      'fal',
      'gemini',
    ]);
  });

  test('the candidates of a task have the cost and the limits of their route', async () => {
    const route = { listCostMicros: 300_000n, concurrency: 2, takesResolution: false };
    const [first] = await over(table(route), gemini).listCandidates(task);
    expect(first).toMatchObject({ listCostMicros: 300_000n, concurrency: 2, takesResolution: false });
  });

  test('the candidates of a task with a seed draw one image a call, where their route takes it', async () => {
    const terms = { ...NO_TERMS, accepts: ALL_CAPABILITIES };
    const router = over(table({ maxImagesPerCall: 4, terms }, { maxImagesPerCall: 4 }), gemini);
    const most = async (more: Partial<RoutedTask>) =>
      (await router.listCandidates({ ...task, ...more })).map(({ maxImagesPerCall }) => maxImagesPerCall);
    expect(await most({})).toEqual([4, 4]);
    expect(await most({ seed: 0 })).toEqual([1, 4]);
    expect(await most({ wishes: { seed: 0 } })).toEqual([1, 4]);
  });

  test('the candidates of a task use several keys in turn, and have the others in reserve', async () => {
    const keys = [key('1'), key('2'), key('3')];
    const router = over(table({}), { provider: provider('gemini'), keys });
    const orders: string[] = [];
    for (let i = 0; i < 4; i++) {
      orders.push((await router.listCandidates(task)).map((one) => one.key?.fingerprint).join(''));
    }
    expect(new Set(orders.slice(0, 3))).toEqual(new Set(['123', '231', '312']));
    expect(orders[3]).toBe(orders[0]);
  });

  test('the candidates of a task with a weight share the tasks by it, the same way for the same task each time', async () => {
    const router = over(table({ model: 'x', weight: 3 }, { model: 'y', weight: 1 }, { model: 'z' }), gemini);
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
    id: 'c',
    attempt: 1,
    model: 'old',
    slots: [0, 2],
    requestId: 'j',
    jobHandle: null,
    createdAt: new Date(),
    detail: null,
    ...({ provider: 'fal', keyFingerprint: 'f', state: 'submitted', costMicros: 80n } as const),
  };
  const router = over(
    table({}),
    gemini,
    { provider: provider('fal'), keys: [key('f')] },
    { provider: { ...provider('first'), recordsFirst: true }, keys: [key('1')] },
  );

  test('a call that was made is asked about with its own key and model, at the price it was written down with', () => {
    expect(router.findMaker(call)).toMatchObject({ model: 'old', listCostMicros: 40n, key: key('f') });
  });

  test('a call that was made can be asked about by nobody when its provider or its key is gone', () => {
    expect(router.findMaker({ ...call, keyFingerprint: 'x' })).toBeNull();
    expect(router.findMaker({ ...call, provider: 'openai' })).toBeNull();
  });

  test('a call that was made is known to be synchronous or not', async () => {
    const known = ['gemini', 'fal', 'x', 'first'].map((name) =>
      router.describeCut({ ...call, provider: name }),
    );
    expect(await Promise.all(known)).toEqual([
      { state: 'cut', costMicros: 80n },
      { state: 'unknown', costMicros: 80n },
      { state: 'unknown', costMicros: 80n },
      // Nothing was sent before its job was saved.
      { state: 'cut', costMicros: 0n },
    ]);
  });
});
