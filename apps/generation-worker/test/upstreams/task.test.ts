import { cancelTask } from '@image-gateway/shared/billing';
import { newId } from '@image-gateway/shared/ids';
import { applyCatalog, eventually } from '@image-gateway/testing';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildTaskDocument, TASK_FOLDERS } from '../support/build-documents.js';
import { describeKilled, drawAndEdit, useUpstreams } from '../support/describe-upstream.js';

const upstreams = useUpstreams();
const apply = async (preset: keyof typeof TASK_FOLDERS, more: object = {}) => {
  const document = buildTaskDocument(upstreams.stub().url, preset, more);
  upstreams.setCatalog(await applyCatalog(upstreams.world().test, document));
};
const submits = () => upstreams.stub().calls({ provider: 'task', kind: 'submit' });
const PRESETS = Object.keys(TASK_FOLDERS) as (keyof typeof TASK_FOLDERS)[];

describe.each(PRESETS)('the preset %s', (preset) => {
  beforeAll(() => apply(preset));

  test(`the preset ${preset} draws in the shape that is asked, and edits the images that it is given`, async () => {
    await drawAndEdit('task');
    // Results lie elsewhere, and the key stays with the API.
    const downloads = upstreams.stub().calls({ kind: 'download' });
    expect(downloads.map(({ key }) => key)).toEqual([null]);
  });

  test(`the preset ${preset} knows a refusal by moderation, a key that is refused, and an account without money`, async () => {
    const world = upstreams.world();
    for (const [mode, state, status] of [
      ['moderation', 'refused', 'failed'],
      ['auth', 'failed', 'completed'],
      ['billing', 'failed', 'completed'],
    ] as const) {
      upstreams.stub().behave('task', mode);
      upstreams.start(['task', 'gemini']);
      const id = await upstreams.submit();
      expect(await world.ended(id)).toMatchObject({ status, tries: 0 });
      expect((await world.calls(id))[0]).toMatchObject({ state, detail: mode });
      await upstreams.stopAll();
    }
  });
});

test('a task API buys nothing again where the id of a job is lost, or the job itself', async () => {
  await apply('apimart');
  const world = upstreams.world();
  for (const mode of ['invalid-base64', 'job-lost'] as const) {
    upstreams.stub().behave('task', mode);
    upstreams.stub().forgetCalls();
    upstreams.start(['task', 'gemini']);
    const id = await upstreams.submit();
    expect(await world.ended(id)).toMatchObject({ status: 'failed', cost_micros: '0' });
    expect(await world.calls(id)).toMatchObject([{ state: 'unknown', provider: 'task' }]);
    expect(submits()).toHaveLength(1);
    await upstreams.stopAll();
  }
});

describe('an idempotent task API', () => {
  beforeAll(() => apply('image-gateway'));
  describeKilled('task');

  test('an idempotent task API is asked again where the id of a job is lost, and its job is found', async () => {
    upstreams.stub().behave('task', { mode: 'invalid-base64', times: 1 });
    upstreams.start(['task', 'gemini']);
    const ended = await upstreams.world().ended(await upstreams.submit());
    expect(ended).toMatchObject({ status: 'completed', call_count: 1 });
  });

  test('an idempotent task API keeps what a job draws after its task is canceled, since no vendor promises that it costs nothing then', async () => {
    const world = upstreams.world();
    upstreams.stub().behave('task', { mode: 'ok', jobMs: 4_000 });
    upstreams.start(['task']);
    const id = await upstreams.submit();
    await eventually(async () => expect(await world.calls(id)).toMatchObject([{ state: 'submitted' }]));
    const deps = { db: world.test.db, newId, fileUrl: 'http://files.test' };
    expect(await cancelTask(deps, { taskId: id, accountId: null })).toBe('pending');
    expect(await world.ended(id)).toMatchObject({ status: 'completed', cost_micros: '10000' });
    expect(upstreams.stub().calls({ provider: 'task', kind: 'cancel' })).toEqual([]);
    expect(Object.values(upstreams.stub().billed())).toEqual([1]);
  });
});

describe('a submission whose answer is lost', () => {
  test('a lost answer of an idempotent task API is asked for again under the same id, and bought once', async () => {
    await apply('image-gateway');
    const world = upstreams.world();
    upstreams.stub().behave('task', { mode: 'lost-answer', on: ['submit'], times: 2 });
    upstreams.start(['task', 'gemini']);
    const id = await upstreams.submit();
    expect(await world.ended(id)).toMatchObject({ status: 'completed', call_count: 1, tries: 0 });
    expect(submits()).toHaveLength(3);
    expect(Object.values(upstreams.stub().billed())).toEqual([1]);
  });

  test('a repeated submission that is refused is an unknown outcome, since the first one may have been taken', async () => {
    await apply('image-gateway');
    const world = upstreams.world();
    upstreams.stub().behave('task', { mode: 'lost-answer', on: ['submit'] });
    upstreams.start(['task', 'gemini']);
    const id = await upstreams.submit();
    await eventually(() => expect(submits()).not.toHaveLength(0));
    upstreams.stub().behave('task', 'auth');
    expect(await world.ended(id)).toMatchObject({ status: 'failed', cost_micros: '0' });
    expect(await world.calls(id)).toMatchObject([{ state: 'unknown', provider: 'task' }]);
    expect(Object.values(upstreams.stub().billed())).toEqual([1]);
  });

  test('an edit whose submission is repeated carries its images again', async () => {
    await apply('image-gateway');
    const world = upstreams.world();
    upstreams.start(['task']);
    const first = await upstreams.submit();
    await world.ended(first);
    const [output] = await world.outputs(first);
    upstreams.stub().forgetCalls();
    upstreams.stub().behave('task', { mode: 'down', on: ['submit'], times: 1 });
    const id = await upstreams.submit({ image_urls: [`http://gateway.test/files/${output?.key}`] });
    expect(await world.ended(id)).toMatchObject({ status: 'completed', call_count: 1 });
    const bodies = submits().map(({ inputs }) => inputs);
    expect(bodies.at(-1)).toEqual([output?.sha256]);
  });

  test('a state that no list has is an unknown outcome', async () => {
    const api = { status: '$.status', running: ['pending'], done: ['completed'], failed: ['failed'] };
    await apply('evolink', {
      poll: { ...api, path: '/tasks/{id}', images: '$.results[*]', error: '$.error.message' },
    });
    const world = upstreams.world();
    // The stub says `processing` while a job runs.
    upstreams.stub().behave('task', { mode: 'ok', jobMs: 60_000 });
    upstreams.start(['task', 'gemini']);
    const id = await upstreams.submit();
    expect(await world.ended(id)).toMatchObject({ status: 'failed' });
    expect(await world.calls(id)).toMatchObject([{ state: 'unknown', detail: 'unknown' }]);
    expect(submits()).toHaveLength(1);
  });

  test('the cost that a task API reports is the cost of the call', async () => {
    await apply('apimart', { cost_unit: '0.5' });
    const world = upstreams.world();
    upstreams.start(['task']);
    const id = await upstreams.submit({ num_outputs: 2 });
    await world.ended(id);
    const costs = await world.sql('SELECT cost_micros::int AS cost FROM provider_calls WHERE task_id = $1', [
      id,
    ]);
    expect(costs).toEqual([{ cost: 15_000 }]);
  });
});
