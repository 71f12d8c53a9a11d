import { deleteTaskInputs, releaseTask } from '@image-gateway/shared/db';
import { applyCatalog, buildPng, eventually } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { endTask } from '../support/end-task.js';
import { startApi, type TestApi } from '../support/start-api.js';
import { newOwner, type Owner } from './support/people.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({
    AUTH_SECRET: 'x'.repeat(32),
    ENABLED_MODELS: 'nanobanana,sketch,draw',
    TASK_MAX_ATTEMPTS: '4',
  });
  await api.store.ensureBucket();
  await applyCatalog(
    api.test,
    `models:
  sketch:
    types: [image_generate]
    price: { 2k: "0.0300" }
    aspect_ratios: ["1:1"]
    max_outputs: 2
    routes: [{ provider: openai, model: sd, cost: { 2k: "0.0100" } }]
  draw:
    types: [image_generate, image_edit]
    price: { 1k: { low: "0.0100", medium: "0.0200", high: "0.0300" } }
    aspect_ratios: ["16:9", "1:1"]
    max_outputs: 4
    max_inputs: 9
    routes: [{ provider: openai, model: gpt, cost: { 1k: { low: "0", medium: "0", high: "0" } }, max_inputs: 9 }]`,
  );
});
afterAll(async () => {
  await api.test.checkInvariants('live');
  await api.stop();
});

const body = { model: 'nanobanana', prompt: 'a fox' };
const png = (): Buffer => buildPng({ width: 8, height: 8, depth: 8, colour: 'rgba' });
const run = async (owner: Owner, fields: object = {}): Promise<string> => {
  const answer = await owner.post('/generate', { ...body, ...fields });
  expect(answer).toMatchObject({ status: 202 });
  return String(answer.data.id);
};
const read = async (owner: Owner, id: string) => (await owner.get(`/tasks/${id}`)).data;
const runs = async (owner: Owner) => (await owner.get('/runs')).data as unknown as { id: string }[];

describe('the playground', () => {
  test('submits what the API would, on the account of whoever is logged in', async () => {
    const owner = await newOwner(api);
    const { status, data } = await owner.post('/generate', { ...body, num_outputs: 2 });
    expect({ status, task: data }).toMatchObject({ status: 202, task: { status: 'pending', cost: '$0.00' } });
    // A process reads a new catalog within seconds.
    await eventually(async () =>
      expect((await owner.get('/overview')).data).toMatchObject({
        held: '$0.0200',
        open_tasks: 1,
        image_prices: { cheapest: '$0.0100', dearest: '$0.0300' },
      }),
    );
    expect(await read(owner, String(data.id))).toMatchObject({
      api_key: { id: 'key_playground', name: null },
      num_outputs: 2,
    });
  });

  test('the playground refuses what the API refuses: a bad request, and one that the balance does not cover', async () => {
    const poor = await newOwner(api, 0n);
    expect((await poor.post('/generate', { ...body, num_outputs: 9 })).error?.code).toBe('VALIDATION_ERROR');
    expect((await poor.post('/generate', body)).error).toEqual({
      code: 'INSUFFICIENT_BALANCE',
      message: expect.stringContaining('which costs $0.0100: $0.00 is available'),
      details: { needed: '$0.0100', available: '$0.00' },
    });
  });

  test('the playground knows the models that are on offer, their prices, and what each of them takes for each field', async () => {
    const owner = await newOwner(api);
    await eventually(async () => {
      const { models } = (await owner.get('/playground')).data as { models: { id: string }[] };
      const find = (name: string) => models.find(({ id }) => id === name);
      expect(find('nanobanana')).toMatchObject({
        name: 'Nano Banana',
        family: 'nano-banana',
        prices: { '1k': '$0.0100' },
      });
      expect(find('draw')).toMatchObject({
        prices: { '1k': '$0.0200' },
        prices_by_quality: { '1k': { low: '$0.0100', medium: '$0.0200', high: '$0.0300' } },
        max_inputs: 9,
        fields: { quality: { type: 'string', enum: ['auto', 'low', 'medium', 'high'] } },
      });
      expect(find('sketch')).toEqual({
        id: 'sketch',
        name: 'sketch',
        generates: true,
        family: null,
        prices: { '2k': '$0.0300' },
        prices_by_quality: {},
        max_inputs: 0,
        has_masks: true,
        fields: {
          prompt: { type: 'string', maxLength: 2000 },
          negative_prompt: { type: 'string', maxLength: 1000 },
          aspect_ratio: { type: 'string', enum: ['1:1'], default: '1:1' },
          num_outputs: { type: 'integer', minimum: 1, maximum: 2, default: 1 },
          resolution: { type: 'string', enum: ['2k'], default: '2k' },
          output_format: { type: 'string', enum: ['png', 'jpeg', 'webp'] },
          background: { type: 'string', enum: ['auto', 'opaque', 'transparent'] },
        },
      });
    });
  });
});

describe('the runs of the playground', () => {
  test('the runs of the playground are the last ones of the account, newest first, without those of its keys and without deleted ones', async () => {
    const [owner, stranger] = [await newOwner(api), await newOwner(api)];
    const ids = [
      await run(owner, { prompt: 'x'.repeat(300) }),
      await run(owner),
      await run(owner, { num_outputs: 2 }),
    ];
    await run(stranger);
    const key = String((await owner.post('/keys', { name: 'laptop' })).data.key);
    expect(
      (
        await api.call('/v1/generate', {
          as: { id: owner.accountId, apiKeyId: '', apiKey: key, webhookSecret: '' },
          body,
        })
      ).status,
    ).toBe(202);
    await endTask(api, ids[2] ?? '', { images: [Buffer.from('x'), Buffer.from('y')] });
    await endTask(api, ids[1] ?? '', { images: [] });
    expect(await runs(owner)).toEqual([
      { id: ids[2], status: 'completed', prompt: 'a fox', url: expect.stringMatching(/\/0\.png$/) },
      { id: ids[1], status: 'failed', prompt: 'a fox', url: null },
      { id: ids[0], status: 'pending', prompt: 'x'.repeat(120), url: null },
    ]);
    await owner.post(`/tasks/${ids[1]}/delete`);
    expect((await runs(owner)).map(({ id }) => id)).toEqual([ids[2], ids[0]]);
  });

  test('the runs of the playground are found through an index of their own, whatever else the account has', async () => {
    const owner = await newOwner(api);
    const id = await run(owner);
    const plan = await api.test.pool.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN SELECT t.id FROM tasks t WHERE t.account_id = '${owner.accountId}' AND t.api_key_id = 'key_playground'
          AND t.erased_at IS NULL ORDER BY t.created_at DESC, t.id DESC LIMIT 24`,
    );
    expect(plan.rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('tasks_playground');
    expect((await runs(owner)).map((one) => one.id)).toEqual([id]);
  });

  test('a run of the playground gives back its request, with files by their ids as long as they are kept, and its mask', async () => {
    const [owner, stranger] = [await newOwner(api), await newOwner(api)];
    const file = (await owner.post('/files', new Blob([new Uint8Array(png())], { type: 'image/png' }))).data;
    const request = {
      ...body,
      model: 'draw',
      negative_prompt: 'people',
      aspect_ratio: '1:1',
      num_outputs: 2,
      resolution: '1k',
      image_urls: [file.id, 'https://images.example/a.png'],
      quality: 'high',
    };
    const mask = `data:image/png;base64,${png().toString('base64')}`;
    const id = await run(owner, { ...request, mask });
    expect(await read(owner, id)).toMatchObject({ request, lost_inputs: 0, has_mask: true });
    const answer = await owner.get(`/tasks/${id}/mask`);
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, String(png().length)]);
    expect((await stranger.get(`/tasks/${id}/mask`)).status).toBe(404);

    await api.test.pool.query(
      `UPDATE task_inputs SET expires_at = now() - interval '1 second' WHERE expires_at IS NOT NULL AND account_id = $1`,
      [owner.accountId],
    );
    expect(await read(owner, id)).toMatchObject({
      request: { image_urls: ['https://images.example/a.png'] },
      lost_inputs: 1,
    });
    const { rows } = await api.test.pool.query<{ mask: string }>('SELECT mask FROM tasks WHERE id = $1', [
      id,
    ]);
    const maskId = rows[0]?.mask.replace('input:', '') ?? '';
    await api.store.remove([`inputs/${maskId}`]);
    await deleteTaskInputs(api.test.db, [maskId]);
    expect((await owner.get(`/tasks/${id}/mask`)).error?.message).toContain('24 hours');
  });
});

describe('a pending task', () => {
  /** Ends an attempt whose calls had these states, to be due in a minute or now. */
  const endAttempt = async (
    id: string,
    { states, usesTry, delayMs }: { states: string[]; usesTry: boolean; delayMs: number },
  ): Promise<void> => {
    const { rows } = await api.test.pool.query<{ attempt: number }>(
      `UPDATE tasks SET phase = 'running', attempt = attempt + 1, started_at = now(), lease_until = now() + interval '1 minute'
        WHERE id = $1 RETURNING attempt`,
      [id],
    );
    const attempt = rows[0]?.attempt ?? 0;
    for (const [index, state] of states.entries()) {
      await api.test.pool.query(
        `INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, state, finished_at)
         VALUES ($1, $2, $3, 'sandbox', 'sandbox', 1, '{0}', 'started', NULL)`,
        [`call_${id}_${attempt}_${index}`, id, attempt],
      );
      await api.test.pool.query(
        `UPDATE provider_calls SET state = $2::text, finished_at = CASE WHEN $2::text <> 'submitted' THEN now() END WHERE id = $1`,
        [`call_${id}_${attempt}_${index}`, state],
      );
    }
    await releaseTask(api.test.db, { taskId: id, attempt, delayMs, usesTry, isClean: true });
  };
  const wait = async (owner: Owner, id: string) => (await read(owner, id)).wait;

  test('a pending task says what it waits for: a worker, a provider that failed, its pause, a job that goes on', async () => {
    const owner = await newOwner(api);
    const id = await run(owner);
    expect(await wait(owner, id)).toEqual({
      reason: 'worker',
      next_try_at: null,
      next_try: 1,
      max_tries: 4,
    });
    await endAttempt(id, { states: ['failed'], usesTry: true, delayMs: 60_000 });
    expect(await wait(owner, id)).toEqual({
      reason: 'provider-failed',
      next_try_at: expect.any(String),
      next_try: 2,
      max_tries: 4,
    });
    await endAttempt(id, { states: ['rate_limited'], usesTry: false, delayMs: 60_000 });
    expect(await wait(owner, id)).toMatchObject({ reason: 'pause', next_try: 2 });
    await endAttempt(id, { states: ['failed', 'submitted'], usesTry: false, delayMs: 60_000 });
    expect(await wait(owner, id)).toMatchObject({ reason: 'provider-works', next_try: 2 });
    await api.test.pool.query(`UPDATE tasks SET due_at = now() WHERE id = $1`, [id]);
    expect(await wait(owner, id)).toMatchObject({ reason: 'worker', next_try_at: null, next_try: 2 });
    await endAttempt(id, { states: ['failed'], usesTry: true, delayMs: 60_000 });
    await api.test.pool.query(
      `UPDATE provider_calls SET state = 'failed', finished_at = now() WHERE task_id = $1 AND finished_at IS NULL`,
      [id],
    );
    expect(await wait(owner, id)).toMatchObject({ reason: 'provider-failed', next_try: 3 });
    await owner.post(`/tasks/${id}/cancel`);
    expect(await read(owner, id)).toMatchObject({ status: 'failed', wait: null });
  });
});
