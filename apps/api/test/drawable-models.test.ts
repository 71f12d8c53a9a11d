import { loadActiveCatalog } from '@image-gateway/shared/db';
import { applyCatalog, eventually, reportWorker, type TestAccount } from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { checkCatalog } from '../src/doctor/check-catalog.js';
import { listWorkerProviders } from '../src/provider/list-worker-providers.js';
import { runCommand } from './cli/support/run-command.js';
import { startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
let account: TestAccount;

beforeAll(async () => {
  api = await startApi();
  account = await api.account();
  await applyCatalog(
    api.test,
    `
providers:
  gpu: { protocol: openai, base_url: "http://127.0.0.1:9/v1", key_env: GPU_KEYS }
models:
  flux:
    types: [image_generate]
    price: { 1k: "0.0040" }
    routes: [{ provider: gpu, model: FLUX.1-schnell, cost: { 1k: "0.0005" } }]`,
  );
});
afterEach(() => api.test.pool.query('DELETE FROM worker_reports'));
afterAll(() => api.stop());

const report = (providers: readonly string[], sandboxServesRest: boolean | 'built-in', id = 'w') =>
  reportWorker(api.test, { candidates: [], providers, sandboxServesRest }, { id });
const listModels = async (): Promise<string[]> => {
  const { json } = await api.call('/v1/models', { as: account });
  return (json.data as unknown as { id: string }[]).map(({ id }) => id).sort();
};
const submit = async (model: string) => {
  const { status, json } = await api.call('/v1/generate', { as: account, body: { model, prompt: 'a fox' } });
  return status === 202 ? [status] : [status, json.error.code];
};
const listCandidates = async () => {
  const { value } = await runCommand({ db: api.test.db }, 'providers');
  return (value as { candidates: { provider: string }[] }).candidates.map(({ provider }) => provider);
};

describe('models on offer', () => {
  test('are all enabled ones while nobody has said which providers are in use', async () => {
    await eventually(async () => expect(await listModels()).toEqual(['flux', 'nanobanana']));
  });

  test('are those that a provider of a worker can draw: a sandbox beside an instance draws no model of others', async () => {
    await report(['sandbox', 'gpu'], false);
    await eventually(async () => expect(await listModels()).toEqual(['flux']));
    expect(await submit('nanobanana')).toEqual([400, 'VALIDATION_ERROR']);
    expect(await submit('flux')).toEqual([202]);
    expect(await listCandidates()).toEqual(['gpu']);
    const workers = listWorkerProviders(api.test.db);
    const checks = await checkCatalog({}, loadActiveCatalog(api.test.db), workers, []);
    expect(checks.filter(({ level }) => level !== 'ok').map(({ observed }) => observed)).toEqual([
      'nanobanana is enabled and not on offer: no provider in use can draw it',
    ]);
  });

  test('are all where the sandbox is the only provider, and where any live worker can draw them', async () => {
    await report(['sandbox'], true);
    await eventually(async () => expect(await listModels()).toEqual(['flux', 'nanobanana']));
    await report(['gemini'], false);
    await eventually(async () => expect(await listModels()).toEqual(['nanobanana']));
    await report(['gpu'], false, 'other');
    await eventually(async () => expect(await listModels()).toEqual(['flux', 'nanobanana']));
  });

  test('are the built-in ones alone where the sandbox only fills in for missing keys', async () => {
    await report(['sandbox'], 'built-in');
    await eventually(async () => expect(await listModels()).toEqual(['nanobanana']));
    await report(['sandbox', 'gpu'], 'built-in');
    await eventually(async () => expect(await listModels()).toEqual(['flux', 'nanobanana']));
  });

  test('follow a worker after a quiet time too: the first request is judged by its last report', async () => {
    await report(['gpu'], false);
    await eventually(async () => expect(await listModels()).toEqual(['flux']));
    await report(['gemini'], false);
    await eventually(async () => {
      const { rows } = await api.test.pool.query(
        "SELECT FROM worker_reports WHERE seen_at < now() - interval '5 seconds'",
      );
      expect(rows).toHaveLength(1);
    });
    expect([await submit('flux'), await submit('nanobanana')]).toEqual([[400, 'VALIDATION_ERROR'], [202]]);
  });

  test('stay what they were while no worker is alive', async () => {
    await report(['gpu'], false);
    await eventually(async () => expect(await listModels()).toEqual(['flux']));
    await api.test.pool.query("UPDATE worker_reports SET seen_at = now() - interval '20 hours'");
    await eventually(async () => expect(await listCandidates()).toEqual(['gpu']));
    expect(await listModels()).toEqual(['flux']);
  });
});
