import { cancelTask } from '@image-gateway/shared/billing';
import { newId } from '@image-gateway/shared/ids';
import { applyCatalog, eventually } from '@image-gateway/testing';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildComfyuiDocument } from '../support/build-documents.js';
import { COMFY_KEYS, drawAndEdit, useUpstreams } from '../support/describe-upstream.js';

const upstreams = useUpstreams();
/** Calls of a task, and whether their jobs have the ids that we gave them. */
const readJobs = (id: string) =>
  upstreams
    .world()
    .sql('SELECT state, provider_request_id = id AS is_own FROM provider_calls WHERE task_id = $1', [id]);

describe('comfyui, an instance of the catalog', () => {
  beforeAll(async () => {
    const document = buildComfyuiDocument(upstreams.stub().url, COMFY_KEYS);
    upstreams.setCatalog(await applyCatalog(upstreams.world().test, document));
  });

  test('comfyui, an instance of the catalog draws what is asked, and edits what it is given', () =>
    drawAndEdit('comfyui'));

  test.each([
    ['waits', { queuedMs: 4_000 }],
    ['runs', { jobMs: 4_000 }],
    ['has ended', {}],
  ])(
    'comfyui, an instance of the catalog whose answer to a submission was lost is asked for the workflow, which %s: it is delivered and bought once',
    async (_where, times) => {
      const world = upstreams.world();
      const stub = upstreams.stub();
      stub.behave('comfyui', [{ mode: 'lost-answer', on: ['submit'], ...times }, { mode: 'ok' }]);
      upstreams.start(['comfyui', 'gemini']);
      const id = await upstreams.submit();
      expect(await world.ended(id)).toMatchObject({ status: 'completed', stored_count: 1, tries: 0 });
      expect(await readJobs(id)).toEqual([{ state: 'succeeded', is_own: true }]);
      expect(stub.calls({ kind: 'submit' })).toHaveLength(1);
    },
  );

  test('comfyui, an instance of the catalog that draws ids of its own is followed under these', async () => {
    const world = upstreams.world();
    upstreams.stub().behave('comfyui', { mode: 'ok', jobMs: 900, ownIds: true });
    upstreams.start(['comfyui', 'gemini']);
    const id = await upstreams.submit();
    expect(await world.ended(id)).toMatchObject({ status: 'completed', tries: 0, call_count: 1 });
    expect(await readJobs(id)).toEqual([{ state: 'succeeded', is_own: false }]);
  });

  test('comfyui, an instance of the catalog deletes a workflow that waits there when its task is canceled, and it costs nothing', async () => {
    const world = upstreams.world();
    const stub = upstreams.stub();
    stub.behave('comfyui', { mode: 'ok', queuedMs: 60_000 });
    upstreams.start(['comfyui', 'gemini']);
    const taskId = await upstreams.submit({ num_outputs: 2 });
    await eventually(async () => expect(await world.calls(taskId)).toMatchObject([{ state: 'submitted' }]));
    const deps = { db: world.test.db, newId, fileUrl: 'http://files.test' };
    expect(await cancelTask(deps, { taskId, accountId: null })).toBe('pending');
    expect(await world.ended(taskId)).toMatchObject({
      status: 'failed',
      error: 'The task was canceled.',
      cost_micros: '0',
    });
    expect(await world.calls(taskId)).toMatchObject([{ state: 'cut', detail: 'withdrawn' }]);
    expect(stub.calls({ kind: 'cancel' })).toMatchObject([{ path: '/queue' }]);
    expect(Object.values(stub.billed())).toEqual([0]);
  });

  test('comfyui, an instance of the catalog whose server lacks a node of the workflow is left for the next one, with an alert', async () => {
    const world = upstreams.world();
    const document = buildComfyuiDocument(upstreams.stub().url, COMFY_KEYS);
    upstreams.setCatalog(await applyCatalog(world.test, document.replaceAll('SaveImage', 'SaveFox')));
    upstreams.start(['comfyui', 'gemini']);
    const id = await upstreams.submit();
    expect(await world.ended(id)).toMatchObject({ status: 'completed', tries: 0 });
    expect(await world.calls(id)).toMatchObject([
      { provider: 'comfyui', state: 'failed', detail: 'config-drift' },
      { provider: 'gemini', state: 'succeeded' },
    ]);
    expect((await upstreams.workers()[0]?.metrics.providerAlerts.get())?.values).toMatchObject([
      { labels: { provider: 'comfyui', failure: 'config-drift' }, value: 1 },
    ]);
  });
});
