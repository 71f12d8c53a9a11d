import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type StubUpstreams, startStubUpstreams } from '@image-gateway/stub-upstreams';
import { eventually, killPrograms, startProgram } from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runCommand } from './cli/support/run-command.js';
import { startApi, type TestApi } from './support/start-api.js';

const REACT_MS = 5_000;
let first: TestApi;
let second: TestApi;
let stubs: readonly [StubUpstreams, StubUpstreams];

beforeAll(async () => {
  const keys = { openai: [''] };
  stubs = await Promise.all([startStubUpstreams({ keys }), startStubUpstreams({ keys })]);
  first = await startApi();
  await first.store.ensureBucket();
  second = await startApi({ DATABASE_URL: first.test.url });
});
afterAll(async () => {
  killPrograms();
  await Promise.all([second.stop(), ...stubs.map((stub) => stub.close())]);
  await first.stop();
});

const buildDocument = (): string => `
providers:
  gpu-1: { protocol: openai, base_url: "${stubs[0].url}/v1" }
  gpu-2: { protocol: openai, base_url: "${stubs[1].url}/v1" }
models:
  flux:
    types: [image_generate]
    price: { 1k: "0.0040" }
    routes:
      - { provider: gpu-1, model: FLUX.1-schnell, cost: { 1k: "0.0005" }, weight: 1 }
      - { provider: gpu-2, model: FLUX.1-schnell, cost: { 1k: "0.0006" }, weight: 1 }
`;

test('a new model on two instances is sold at its own price within five seconds of its document, by two API processes and a worker that go on running', async () => {
  startProgram('apps/generation-worker', ['src/main.ts'], {
    ...first.workerEnv,
    PROVIDERS: '',
    SANDBOX_FALLBACK: 'true',
    SWEEP_MS: '500',
    HOST: '127.0.0.1',
    METRICS_PORT: '0',
  });
  const account = await first.account({ balanceMicros: 1_000_000_000n });
  const submit = (api: TestApi, model: string) =>
    api.call('/v1/generate', { as: account, body: { model, prompt: 'a fox' } });
  const read = (id: string) => first.call(`/v1/tasks/${id}`, { as: account });
  const { json: warm } = await submit(first, 'nanobanana');
  const completed = async (id: string): Promise<void> =>
    expect((await read(id)).json.data).toMatchObject({ status: 'completed' });
  await eventually(() => completed(warm.data.id));
  for (const api of [first, second]) {
    expect((await submit(api, 'flux')).status).toBe(400);
  }

  const file = path.join(await mkdtemp(path.join(tmpdir(), 'catalog-')), 'catalog.yaml');
  await writeFile(file, buildDocument());
  const applied = await runCommand({ env: { DATABASE_URL: first.test.url } }, 'catalog', 'apply', file);
  const from = Date.now();
  expect(applied).toMatchObject({ code: 0 });
  const ids = await Promise.all(
    [first, second].map(async (api) => {
      const accepted = await eventually(
        async () => {
          const answer = await submit(api, 'flux');
          expect(answer.status).toBe(202);
          return answer;
        },
        { timeoutMs: REACT_MS },
      );
      return accepted.json.data.id;
    }),
  );
  expect(Date.now() - from).toBeLessThan(REACT_MS);
  const more = await Promise.all(Array.from({ length: 30 }, () => submit(first, 'flux')));
  for (const id of [...ids, ...more.map(({ json }) => json.data.id)]) {
    await eventually(() => completed(id));
    expect((await read(id)).json.data).toMatchObject({ cost: '$0.0040' });
  }
  for (const stub of stubs) {
    expect(stub.calls({ kind: 'submit' }).length).toBeGreaterThan(0);
  }
  await first.test.checkInvariants('rest');
});
