import { cancelTask } from '@image-gateway/shared/billing';
import { newId } from '@image-gateway/shared/ids';
import { type StubUpstreams, startStubUpstreams } from '@image-gateway/stub-upstreams';
import {
  applyCatalog,
  createTestAccount,
  createTestTask,
  eventually,
  type TestAccount,
} from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { useWorld } from './support/use-world.js';

const world = useWorld();
const POISON = 'poison';
let stub: StubUpstreams;
let catalogVersion = 0;

beforeAll(async () => {
  stub = await startStubUpstreams({ keys: { openai: ['gpu-secret'] } });
  catalogVersion = await applyCatalog(
    world.test,
    `
providers:
  gpu: { protocol: openai, base_url: "${stub.url}", key_env: GPU_KEYS }
models:
  flux:
    types: [image_generate]
    price: { 1k: "0.0040" }
    routes: [{ provider: gpu, model: fal-ai/nano-banana, cost: { 1k: "0.0005" }, resolution: fixed }]`,
  );
});
afterEach(() => {
  stub.behaveWell();
  stub.forgetCalls();
});
afterAll(() => stub.close());

const start = () =>
  world.start(null, { settings: { PROVIDERS: '', SANDBOX_FALLBACK: 'true', GPU_KEYS: 'gpu-secret' } });
const createAccounts = (count: number): Promise<TestAccount[]> =>
  Promise.all(Array.from({ length: count }, () => createTestAccount(world.test)));
const submit = (account: TestAccount, count: number, prompt = 'a boat', deadlineMs = 60_000) =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const request = { model: 'flux', prompt };
      const price = { unitMicros: 4_000n, catalogVersion };
      return (await createTestTask(world.test.db, account, { request, price, deadlineMs })).id;
    }),
  );
const endAll = (ids: readonly string[]) => Promise.all(ids.map((id) => world.ended(id, 60_000)));
/** Ends what a test has left open, without waiting for pauses: nothing is pending where it is at rest. */
const endRest = async (ids: readonly string[]) => {
  const deps = { db: world.test.db, newId, fileUrl: 'http://files.test' };
  await Promise.all(ids.map((taskId) => cancelTask(deps, { taskId, accountId: null })));
  await endAll(ids);
};
const countSubmits = () => stub.calls({ kind: 'submit' }).length;

describe('prompts of other accounts that fail at a provider', () => {
  test('prompts of ten accounts that fail at a provider, all at once, cost an eleventh none of its seventy tasks', async () => {
    stub.behave('openai', { mode: 'server-error', prompt: POISON });
    start();
    const [sound, ...others] = await createAccounts(11);
    const poisoned = await Promise.all(others.map((account) => submit(account, 8, POISON, 40_000)));
    // Each of the others has had more failures in a row than open a circuit.
    await eventually(async () => expect(countSubmits()).toBeGreaterThanOrEqual(50));
    for (let batch = 0; batch < 7; batch += 1) {
      for (const task of await endAll(await submit(sound as TestAccount, 10))) {
        expect(task).toMatchObject({ status: 'completed', tries: 0, call_count: 1 });
      }
    }
    await endRest(poisoned.flat());
  });

  test('a task whose provider was not asked keeps its tries and waits for its deadline', async () => {
    stub.behave('openai', 'server-error');
    start();
    const [account] = await createAccounts(1);
    const failing = await submit(account as TestAccount, 8);
    await eventually(async () => expect(countSubmits()).toBeGreaterThanOrEqual(5));
    const [id = ''] = await submit(account as TestAccount, 1, 'a boat', 2_000);
    expect(await world.ended(id)).toMatchObject({
      status: 'failed',
      error: 'The task was not finished in time.',
      tries: 0,
      call_count: 0,
    });
    await endRest(failing);
  });

  test('tasks that waited for a provider are drawn once it is well again, without a further try', async () => {
    stub.behave('openai', 'server-error');
    start();
    const [account] = await createAccounts(1);
    const failing = await submit(account as TestAccount, 8);
    await eventually(async () => expect(countSubmits()).toBeGreaterThanOrEqual(5));
    const ids = await submit(account as TestAccount, 5);
    stub.behaveWell();
    for (const task of await endAll(ids)) {
      expect(task).toMatchObject({ status: 'completed', tries: 0, call_count: 1 });
    }
    await endRest(failing);
  });
});

describe('a pause that the answer to one account asks for', () => {
  test('a rate limit delays other accounts by one pause, and then the account that drew it alone', async () => {
    stub.behave('openai', { mode: 'rate-limit', prompt: POISON, retryAfterS: 4 });
    start();
    const [limited, sound] = (await createAccounts(2)) as [TestAccount, TestAccount];
    const poisoned = await submit(limited, 1, POISON, 30_000);
    await eventually(async () => expect(countSubmits()).toBe(1));
    for (const task of await endAll(await submit(sound, 4))) {
      expect(task).toMatchObject({ status: 'completed', tries: 0, call_count: 1 });
    }
    await eventually(async () => expect(countSubmits()).toBe(6));
    const later = await submit(sound, 4);
    for (const task of await endAll(later)) {
      expect(task).toMatchObject({ status: 'completed', tries: 0, attempt: 1, call_count: 1 });
    }
    await endRest(poisoned);
  });
});
