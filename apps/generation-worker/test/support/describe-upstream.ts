import {
  listServiceAccountKeys,
  type StubMode,
  type StubUpstreams,
  startStubUpstreams,
} from '@image-gateway/stub-upstreams';
import { eventually, killPrograms, startProgram } from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { INSTANCE_KEYS, type InstanceName, TASK_KEYS } from './build-documents.js';
import { QUICK_PACE } from './quick-pace.js';
import { createWorld, type TestWorker, type World } from './world.js';

/** The protocols of the stub. */
export type Name =
  | 'gemini'
  | 'fal'
  | 'replicate'
  | 'openrouter'
  | 'openai'
  | 'comfyui'
  | 'task'
  | InstanceName;

type BuiltIn = Exclude<Name, 'comfyui' | 'task' | InstanceName>;

/** Setting that holds the keys of the ComfyUI instance. */
export const COMFY_KEYS = 'COMFY_KEYS';

const LONG_JOB_MS = 900;
const KILLED_JOB_MS = 2_000;

let world: World;
let stub: StubUpstreams;
let workers: TestWorker[] = [];
/** Version of the document that a test applied; null under the built-in one. */
let catalogVersion: number | null = null;

/** Whole workers on real services, in front of stubs of all providers; one set for a test file. */
export function useUpstreams() {
  beforeAll(async () => {
    [world, stub] = await Promise.all([createWorld(), startStubUpstreams()]);
  });
  const stopAll = async (): Promise<void> => {
    await Promise.all(workers.map((worker) => worker.stop()));
    workers = [];
  };
  afterEach(async () => {
    killPrograms();
    await stopAll();
    stub.behaveWell();
    stub.forgetCalls();
    await world.test.checkInvariants('rest');
  });
  afterAll(() => Promise.all([world.close(), stub.close()]));
  return {
    world: () => world,
    stub: () => stub,
    workers: () => workers,
    start,
    stopAll,
    submit,
    setCatalog: (version: number) => {
      catalogVersion = version;
    },
  };
}

function getSettings(providers: readonly Name[], more: Record<string, string> = {}): Record<string, string> {
  const ofInstances = Object.entries(INSTANCE_KEYS).map(([name, setting]) => [
    setting,
    (name === 'vertex' ? listServiceAccountKeys(stub.url) : stub.keys[name as InstanceName]).join(','),
  ]);
  const keys = {
    [COMFY_KEYS]: stub.keys.comfyui.join(','),
    [TASK_KEYS]: stub.keys.task.join(','),
    ...Object.fromEntries(ofInstances),
  };
  const models = { ENABLED_MODELS: 'nanobanana,nanobanana-pro' };
  return { ...stub.environment, ...keys, ...models, ...more, PROVIDERS: providers.join(',') };
}
function start(providers: readonly Name[], more?: Record<string, string>) {
  workers.push(world.start(null, { settings: getSettings(providers, more), jobPace: QUICK_PACE }));
}
const submit: World['submit'] = (request) => {
  const unitMicros = request?.model === 'nanobanana-pro' ? 16_000n : 10_000n;
  return world.submit(request, catalogVersion === null ? {} : { price: { unitMicros, catalogVersion } });
};
const submits = (provider: Name): number => stub.calls({ provider, kind: 'submit' }).length;
const another = (name: Name): Name => (name === 'gemini' ? 'openrouter' : 'gemini');
/** Checks that each image billed upstream was stored, or belongs to a call recorded as unknown, unusable or cut. */
async function expectEveryBilledImageToBeKnown(id: string): Promise<void> {
  const billed = stub.calls().reduce((sum, call) => sum + call.billed, 0);
  const lost = (await world.calls(id)).filter(({ state }) => ['unknown', 'unusable', 'cut'].includes(state));
  const stored = (await world.outputs(id)).length;
  expect(billed).toBeGreaterThanOrEqual(stored);
  expect(billed).toBeLessThanOrEqual(stored + lost.reduce((sum, { slots }) => sum + slots.length, 0));
}

/** Draws in the shape that is asked, every image another one, and edits these in their order. */
export async function drawAndEdit(name: Name, maxInputs = 3): Promise<void> {
  start([name]);
  const drawn = await submit({ num_outputs: 4, aspect_ratio: '9:16', negative_prompt: 'text, watermark' });
  expect(await world.ended(drawn)).toMatchObject({ status: 'completed', stored_count: 4, tries: 0 });
  const shapes = await world.sql('SELECT width, height, sha256 FROM task_outputs WHERE task_id = $1', [
    drawn,
  ]);
  expect(new Set(shapes.map(({ sha256 }) => sha256)).size).toBe(4);
  for (const { width, height } of shapes) {
    expect(Number(height)).toBeGreaterThan(Number(width));
  }
  expect(stub.calls({ provider: name, kind: 'submit' })[0]?.prompt).toContain('a red fox');
  const sum = 'SELECT sum(cost_micros)::int AS cost FROM provider_calls WHERE task_id = $1';
  expect(Number((await world.sql(sum, [drawn]))[0]?.cost)).toBeGreaterThan(0);
  await expectEveryBilledImageToBeKnown(drawn);

  const outputs = await world.outputs(drawn);
  stub.forgetCalls();
  const order = [2, 0, 1].slice(0, maxInputs);
  const image_urls = order.map((i) => `http://gateway.test/files/${outputs[i]?.key}`);
  const id = await submit({ image_urls, resolution: '2k', model: 'nanobanana-pro' });
  expect(await world.ended(id)).toMatchObject({ status: 'completed', stored_count: 1 });
  const sent = stub.calls({ provider: name, kind: 'submit' }).map(({ inputs }) => inputs);
  expect(sent).toEqual([order.map((i) => outputs[i]?.sha256)]);
}

/**
 * A kind of protocol through every kind of failure, in the whole worker. Tests of the providers hold how each protocol says what it means;
 * what the worker does then is the same code for all.
 */
function describeUpstream(name: BuiltIn): void {
  test('draws what is asked, and edits what it is given', () => drawAndEdit(name));

  test.each<[StubMode, number]>([
    ['overload', 1],
    ['server-error', 1],
    ['timeout', 1],
    ['geo', 1],
    // Both of its keys are tried.
    ['quota', 2],
    ['auth', 2],
    ['billing', 2],
    ['rate-limit', 2],
    // Asked twice, then never again for this image.
    ['no-image', 2],
    ['broken-image', 2],
  ])(
    'an upstream that is in trouble (%s) is asked %d times, and the next provider draws',
    async (mode, calls) => {
      stub.behave(name, mode);
      start([name, another(name)]);
      const id = await submit({ model: 'nanobanana-pro' });
      expect(await world.ended(id)).toMatchObject({ status: 'completed', tries: 0 });
      expect([submits(name), submits(another(name))]).toEqual([calls, 1]);
      await expectEveryBilledImageToBeKnown(id);
    },
  );

  test('an upstream that has lost a model goes on with its next model, or the next provider', async () => {
    stub.behave(name, { mode: 'model-gone', times: 1 });
    start([name, another(name)]);
    const id = await submit();
    expect(await world.ended(id)).toMatchObject({ status: 'completed', tries: 0, call_count: 2 });
    expect((await world.calls(id))[0]).toMatchObject({ state: 'failed', detail: 'model-gone' });
  });

  test.each<[StubMode, string]>([
    ['moderation', 'The request was rejected by content moderation.'],
    ['invalid-input', 'The upstream provider refused the input.'],
  ])('an upstream that refuses (%s) is the last word: nobody else is asked', async (mode, error) => {
    stub.behave(name, mode);
    start([name, another(name)]);
    const id = await submit();
    expect(await world.ended(id)).toMatchObject({ status: 'failed', error, cost_micros: '0' });
    expect(submits(another(name))).toBe(0);
    expect(submits(name)).toBeLessThanOrEqual(2);
  });

  test('an upstream whose answer is lost may have been paid: nobody is asked again', async () => {
    stub.behave(name, { mode: 'lost-answer', on: ['submit'] });
    start([name, another(name)]);
    const id = await submit();
    expect(await world.ended(id)).toMatchObject({ status: 'failed', error: 'The upstream provider failed.' });
    expect(await world.calls(id)).toMatchObject([{ state: 'unknown', detail: 'unknown', provider: name }]);
    expect([submits(name), submits(another(name))]).toEqual([1, 0]);
  });

  test('an upstream that is always overloaded is asked three times in three tries, and the customer pays nothing', async () => {
    stub.behave(name, 'overload');
    start([name]);
    const id = await submit();
    expect(await world.ended(id)).toMatchObject({
      status: 'failed',
      cost_micros: '0',
      call_count: 3,
    });
    expect(submits(name)).toBe(3);
  });
}

/** A built-in provider that stands for its kind of protocol. */
export function describeBuiltIn(name: BuiltIn): void {
  describe(`${name}`, () => {
    describeUpstream(name);

    test('an upstream that cannot be reached is left for the next one, and costs nothing', async () => {
      start([name, another(name)], { [`${name.toUpperCase()}_BASE_URL`]: 'http://127.0.0.1:1' });
      const id = await submit();
      expect(await world.ended(id)).toMatchObject({ status: 'completed', tries: 0 });
      expect(submits(another(name))).toBe(1);
    });
  });
}

/** A protocol with jobs: long ones are parked, and those of a dead worker go on. */
export function describeJobs(name: Name): void {
  test('an upstream that takes long holds no place in the worker and is submitted once', async () => {
    stub.behave(name, { mode: 'ok', jobMs: LONG_JOB_MS });
    start([name, another(name)], { GENERATION_CONCURRENCY: '1' });
    const slow = await submit();
    const quick: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      quick.push(await submit({ prompt: `quick ${i}` }));
    }
    for (const id of [slow, ...quick]) {
      expect(await world.ended(id)).toMatchObject({ status: 'completed', tries: 0, call_count: 1 });
    }
    expect(stub.duplicates()).toEqual({});
    expect(submits(name)).toBe(4);
  });

  describeKilled(name);
}

/** A job whose worker is killed. */
export function describeKilled(name: Name): void {
  test('an upstream whose worker is killed is finished by another worker, and is submitted once', async () => {
    stub.behave(name, { mode: 'ok', jobMs: KILLED_JOB_MS });
    const { child, ended } = startProgram('apps/generation-worker', ['src/main.ts'], {
      ...world.env,
      ...getSettings([name]),
      HOST: '127.0.0.1',
      METRICS_PORT: '0',
    });
    const id = await submit();
    // A job of an idempotent API is recorded before it is sent, and one that may not have arrived is sent again.
    const sent = `SELECT state FROM provider_calls WHERE task_id = $1 AND COALESCE(job_handle, '') NOT LIKE '%"unsent"%'`;
    const submitted = async () => expect(await world.sql(sent, [id])).toEqual([{ state: 'submitted' }]);
    await eventually(submitted);
    child.kill('SIGKILL');
    await ended;
    await world.sql(`UPDATE tasks SET lease_until = now() - interval '1 s' WHERE id = $1`, [id]);
    start([name, another(name)]);
    expect(await world.ended(id)).toMatchObject({ status: 'completed', call_count: 1 });
    expect(submits(name)).toBe(1);
  });
}
