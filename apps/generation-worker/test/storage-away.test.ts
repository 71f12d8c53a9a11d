import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readBuiltInCatalog } from '@image-gateway/shared/catalog/document';
import { type ObjectBody, type ObjectStore, StorageError } from '@image-gateway/shared/storage';
import { type StubUpstreams, startStubUpstreams } from '@image-gateway/stub-upstreams';
import { eventually } from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readSettings } from '../src/env.js';
import { createGemini } from '../src/providers/gemini/create-gemini.js';
import { createRouter, type Router } from '../src/routing/create-router.js';
import { createRouteFinder } from '../src/routing/find-routes.js';
import { upstreamAt } from './providers/support/upstream-at.js';
import { gate } from './support/scripted-provider.js';
import { createWorld, type StartParts, type TestWorker, type World } from './support/world.js';

/** Long enough for four large images at once on a busy machine, whose stub draws them one after the other. */
const CALL_MS = 40_000;
const LONGER_MS = 42_000;
const LARGE = { mode: 'ok', fullSize: true, noise: true } as const;

let world: World;
let stub: StubUpstreams;
let workers: TestWorker[] = [];
let spoolDir: string;

beforeAll(async () => {
  [world, stub] = await Promise.all([createWorld(), startStubUpstreams()]);
});
beforeEach(() => {
  spoolDir = mkdtempSync(path.join(tmpdir(), 'image-gateway-spool-'));
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  workers = [];
  stub.behaveWell();
  stub.forgetCalls();
  rmSync(spoolDir, { recursive: true, force: true });
  await world.test.checkInvariants('rest');
});
afterAll(() => Promise.all([world.close(), stub.close()]));

/** Gemini as it is, but with little time for a call. */
function geminiRouter(): Router {
  const times = { timeoutMs: CALL_MS, largeTimeoutMs: CALL_MS };
  const provider = createGemini({ upstream: upstreamAt('gemini', stub.url) }, times);
  const key = { secret: stub.keys.gemini[0] ?? '', fingerprint: 'key-1' };
  const env = { ...world.env, ...stub.environment, PROVIDERS: 'gemini' };
  const settings = readSettings(env);
  const catalog = readBuiltInCatalog();
  const load = async () => ({ version: 1, newestVersion: 1, catalog });
  const feed = {
    load,
    refresh: load,
    findEarlier: async () => null,
  };
  return createRouter(
    { find: () => ({ provider, keys: [key] }), findMaker: () => ({ provider, keys: [key] }) },
    createRouteFinder(feed, settings),
    () => Promise.resolve(null),
  );
}
function start(store: ObjectStore, settings: StartParts['settings'] = {}): TestWorker {
  const worker = world.start(geminiRouter(), { store, settings: { SPOOL_DIR: spoolDir, ...settings } });
  workers.push(worker);
  return worker;
}
const asked = (): number => stub.calls({ provider: 'gemini', kind: 'submit' }).length;
const billed = (): number => stub.calls().reduce((sum, call) => sum + call.billed, 0);
const submit = (count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, () => world.submit()));
const readGauge = async (worker: TestWorker, name: 'spoolBytes' | 'callsWaiting'): Promise<number> =>
  (await worker.metrics[name].get()).values[0]?.value ?? 0;
const elapse = (ms: number): Promise<void> => {
  const since = performance.now();
  return eventually(async () => expect(performance.now() - since).toBeGreaterThan(ms), { timeoutMs: 2 * ms });
};
/** The store, with another way to put as long as it is told so. */
function storeThat(put: (really: ObjectStore['put']) => ObjectStore['put']): ObjectStore {
  return new Proxy(world.store, {
    get: (store, name: keyof ObjectStore) => (name === 'put' ? put(store.put) : store[name]),
  });
}
async function expectAllStored(ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    expect(await world.ended(id)).toMatchObject({ status: 'completed', stored_count: 1, tries: 0 });
    expect(await world.calls(id)).toMatchObject([{ state: 'succeeded' }]);
  }
  expect([asked(), billed()]).toEqual([ids.length, ids.length]);
}

describe('storage away', () => {
  test('an object store that is away for longer than a call may take loses no billed image, however large, and no call begins until images can be stored again', async () => {
    const away = { now: true };
    const fail = () => Promise.reject(new StorageError({ fault: 'unreachable', message: 'away' }));
    const store = new Proxy(world.store, {
      get: (real, name: keyof ObjectStore) =>
        away.now && (name === 'put' || name === 'replace') ? fail : real[name],
    });
    stub.behave('gemini', LARGE);
    const worker = start(store, { ANSWER_MEMORY: '16 MiB' });
    const first = await submit(4);
    await eventually(async () => {
      expect(billed()).toBe(4);
      expect(await readGauge(worker, 'spoolBytes')).toBeGreaterThan(0);
      expect(world.lines.some(({ message }) => String(message).includes('takes no images'))).toBe(true);
    });
    const later = await submit(4);
    await eventually(async () => expect(await readGauge(worker, 'callsWaiting')).toBe(4));
    await elapse(LONGER_MS);
    expect(asked()).toBe(4);
    // Spool files have no name, so that they vanish with their process.
    expect(readdirSync(spoolDir)).toEqual([]);
    away.now = false;
    await expectAllStored([...first, ...later]);
    await eventually(async () =>
      expect([await readGauge(worker, 'spoolBytes'), await readGauge(worker, 'callsWaiting')]).toEqual([
        0, 0,
      ]),
    );
  });

  test('a worker that stops while the object store is away no longer reports that its images wait', async () => {
    const fail = () => Promise.reject(new StorageError({ fault: 'unreachable', message: 'away' }));
    const away = start(
      new Proxy(world.store, {
        get: (real, name: keyof ObjectStore) => (name === 'put' || name === 'replace' ? fail : real[name]),
      }),
    );
    const id = await world.submit();
    const readFaults = async (): Promise<unknown[]> => {
      const { rows } = await world.test.pool.query(
        "SELECT report->>'storeFault' AS fault FROM worker_reports WHERE report ? 'storeFault'",
      );
      return rows;
    };
    await eventually(async () => expect(await readFaults()).toEqual([{ fault: 'object store: away' }]));
    await away.stop();
    expect(await readFaults()).toEqual([]);
    start(world.store);
    expect(await world.ended(id)).toMatchObject({ status: 'completed', stored_count: 1 });
  });

  test('an object store that is away for longer than a call may take and of which nothing is known but that puts hang keeps calls within the size of the spool', async () => {
    const shut = gate();
    stub.behave('gemini', LARGE);
    const worker = start(
      storeThat((put) => async (...args) => {
        await shut.passed;
        return put(...args);
      }),
      { SPOOL_MAX: '20 MiB' },
    );
    const ids = await submit(6);
    await eventually(async () => {
      expect(billed()).toBe(2);
      expect(await readGauge(worker, 'callsWaiting')).toBe(4);
    });
    await elapse(LONGER_MS);
    expect(asked()).toBe(2);
    shut.open();
    await expectAllStored(ids);
  });

  test('an object store that is away for longer than a call may take loses no billed image either when the spool cannot be written', async () => {
    const shut = gate();
    stub.behave('gemini', LARGE);
    start(
      storeThat((put) => async (...args) => {
        await shut.passed;
        return put(...args);
      }),
      { ANSWER_MEMORY: '4 MiB' },
    );
    rmSync(spoolDir, { recursive: true });
    const ids = await submit(8);
    await eventually(async () => expect(billed()).toBe(8));
    await elapse(LONGER_MS);
    expect(world.lines.some(({ message }) => message === 'the spool cannot be written')).toBe(true);
    shut.open();
    await expectAllStored(ids);
  });

  test('an object store that is away for longer than a call may take holds up no small image while large ones hold all memory', async () => {
    const shut = gate();
    const isLarge = (body: ObjectBody): boolean => Buffer.isBuffer(body) && body.length > 1_000_000;
    stub.behave('gemini', [{ ...LARGE, times: 3 }]);
    start(
      storeThat((put) => async (key, body, options) => {
        if (isLarge(body)) {
          await shut.passed;
        }
        return put(key, body, options);
      }),
      { ANSWER_MEMORY: '1 MiB' },
    );
    const large = await submit(3);
    await eventually(async () => expect(billed()).toBe(3));
    const [small = ''] = await submit(1);
    expect(await world.ended(small)).toMatchObject({ status: 'completed' });
    expect(await world.task(large[0] ?? '')).toMatchObject({ status: 'pending' });
    shut.open();
    await expectAllStored([...large, small]);
  });

  test('an object store that is away for longer than a call may take leaves nothing in the spool for the next start', () => {
    writeFileSync(path.join(spoolDir, 'left-by-a-crash.spool'), '');
    start(world.store);
    expect(readdirSync(spoolDir)).toEqual([]);
  });
});
