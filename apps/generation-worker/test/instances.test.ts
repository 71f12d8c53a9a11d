import { type StubUpstreams, startStubUpstreams } from '@image-gateway/stub-upstreams';
import { applyCatalog, eventually } from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { useWorld } from './support/use-world.js';

const world = useWorld();
// Stubs of both protocols have it.
const MODEL = 'fal-ai/nano-banana';
const KEYS = { GPU_KEYS: 'gpu-secret' };
let stubs: readonly [StubUpstreams, StubUpstreams];

beforeAll(async () => {
  const keys = { openai: ['', 'gpu-secret'], fal: ['gpu-secret'] };
  stubs = await Promise.all([startStubUpstreams({ keys }), startStubUpstreams({ keys })]);
});
afterEach(() => {
  for (const stub of stubs) {
    stub.behaveWell();
    stub.forgetCalls();
  }
});
afterAll(() => Promise.all(stubs.map((stub) => stub.close())));

const start = (settings: Record<string, string> = {}) =>
  world.start(null, { settings: { PROVIDERS: '', SANDBOX_FALLBACK: 'true', ...KEYS, ...settings } });
/** Applies a document with a model of its own on two instances. */
const apply = (first: string, second: string, model = 'flux') =>
  applyCatalog(
    world.test,
    `
providers:
  gpu-1: ${first}
  gpu-2: ${second}
models:
  ${model}:
    types: [image_generate]
    price: { 1k: "0.0040" }
    routes:
      - { provider: gpu-1, model: ${MODEL}, cost: { 1k: "0.0005" }, weight: 1, resolution: fixed }
      - { provider: gpu-2, model: ${MODEL}, cost: { 1k: "0.0006" }, weight: 1, resolution: fixed }`,
  );
const at = (stub: StubUpstreams, protocol = 'openai') =>
  `{ protocol: ${protocol}, base_url: "${stub.url}", key_env: GPU_KEYS }`;
const submit = (catalogVersion: number, count: number, model = 'flux') =>
  Promise.all(
    Array.from({ length: count }, () =>
      world.submit({ model }, { price: { unitMicros: 4_000n, catalogVersion } }),
    ),
  );
const submits = (stub: StubUpstreams) => stub.calls({ kind: 'submit' }).length;

describe('instances of the catalog', () => {
  test('draw a new model at its own price as soon as it is applied, several of one protocol side by side', async () => {
    const worker = start();
    const before = await world.submit();
    await world.ended(before);
    const keyless = `{ protocol: openai, base_url: "${stubs[1].url}/v1" }`;
    const version = await apply(at(stubs[0]), keyless);
    const ids = await submit(version, 12);
    for (const id of ids) {
      expect(await world.ended(id)).toMatchObject({ status: 'completed', cost_micros: '4000' });
    }
    expect(submits(stubs[0]) + submits(stubs[1])).toBe(12);
    expect(submits(stubs[0])).toBeGreaterThan(0);
    expect(submits(stubs[1])).toBeGreaterThan(0);
    expect(new Set(stubs[1].calls({ kind: 'submit' }).map(({ key }) => key))).toEqual(new Set([null]));
    const counted = (await worker.metrics.providerCalls.get()).values.map(({ labels }) =>
      'provider' in labels ? labels.provider : null,
    );
    expect(new Set(counted)).toEqual(new Set(['sandbox', 'gpu-1', 'gpu-2']));
    // Models without a route of theirs stay with the sandbox.
    const after = await world.submit({}, { price: { unitMicros: 10_000n, catalogVersion: version } });
    await world.ended(after);
    expect(await world.calls(after)).toMatchObject([{ provider: 'sandbox', state: 'succeeded' }]);
  });

  test('fail one by one: the other one draws, and each has circuits of its own', async () => {
    start();
    // An overload would name a pause, in which the other one draws all before five calls have failed.
    stubs[0].behave('openai', 'server-error');
    const version = await apply(at(stubs[0]), at(stubs[1]));
    // Each draws by lot where it begins: fewer than the five that open a circuit begin there once in ten million runs.
    for (const id of await submit(version, 40)) {
      expect(await world.ended(id)).toMatchObject({ status: 'completed', tries: 0 });
    }
    expect(submits(stubs[0])).toBeLessThan(40);
    await eventually(async () => {
      const [row = {}] = await world.sql('SELECT report FROM worker_reports ORDER BY seen_at DESC LIMIT 1');
      const { candidates } = row.report as { candidates: { provider: string; accountsPaused: number }[] };
      const states = Object.fromEntries(
        candidates.map(({ provider, accountsPaused }) => [provider, accountsPaused]),
      );
      expect(states).toMatchObject({ 'gpu-1': 1, 'gpu-2': 0 });
    });
  });

  test('instances of the catalog that PROVIDERS does not name are not called', async () => {
    start({ PROVIDERS: 'gpu-2' });
    const version = await apply(at(stubs[0]), at(stubs[1]));
    for (const id of await submit(version, 6)) {
      expect(await world.ended(id)).toMatchObject({ status: 'completed' });
    }
    expect([submits(stubs[0]), submits(stubs[1])]).toEqual([0, 6]);
    await eventually(async () => {
      const [row = {}] = await world.sql('SELECT report FROM worker_reports ORDER BY seen_at DESC LIMIT 1');
      expect(row.report).toMatchObject({ providers: ['gpu-2'] });
    });
  });

  test('instances of the catalog keep their address with each job, which another process polls there after it was changed', async () => {
    stubs[0].behave('fal', { mode: 'ok', jobMs: 4_000 });
    const worker = start({ PROVIDERS: 'gpu-1' });
    const version = await apply(at(stubs[0], 'fal'), at(stubs[1], 'fal'));
    const [id = ''] = await submit(version, 1);
    await eventually(async () => expect(await world.calls(id)).toMatchObject([{ state: 'submitted' }]));
    await worker.stop(50);
    const nowhere = '{ protocol: fal, base_url: "http://127.0.0.1:1", key_env: GPU_KEYS }';
    await apply(nowhere, nowhere, 'other');
    start({ PROVIDERS: 'gpu-2' });
    expect(await world.ended(id, 20_000)).toMatchObject({ status: 'completed', call_count: 1, tries: 0 });
    expect(submits(stubs[0])).toBe(1);
  });
});
