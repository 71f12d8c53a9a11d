import { cancelTask } from '@image-gateway/shared/billing';
import { checkDocument } from '@image-gateway/shared/catalog/document';
import { newId } from '@image-gateway/shared/ids';
import { createRequestParser } from '@image-gateway/shared/task';
import { applyCatalog, eventually, type Receiver, startReceiver } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { JobPace } from '../src/providers/follow-job.js';
import { drawImage } from './support/draw-image.js';
import { type Comfyui, startComfyui } from './support/start-comfyui.js';
import { useWorld } from './support/use-world.js';

// With an installation of ComfyUI it runs workflows here, on the CPU and without a model (.ci/long comfyui).
const { COMFYUI_DIR, COMFYUI_PYTHON = 'python3' } = process.env;
const PACE: JobPace = {
  firstPollMs: 100,
  maxPollMs: 300,
  followMs: 400,
  parkMs: 300,
  maxPauseMs: 60_000,
  unseenMs: 0,
};
const PATIENCE_MS = 60_000;
/** Nodes of a workflow that nobody waits for: minutes on two cores, and an interruption takes effect between two of them. */
const ENDLESS = 150;
const SLOW_RADIUS = 14;

interface Node {
  readonly class_type: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly _meta?: { readonly title: string };
}
type Workflow = Readonly<Record<string, Node>>;

const node = (class_type: string, inputs: Node['inputs']): Node => ({ class_type, inputs });
const save = (from: string): Node => node('SaveImage', { filename_prefix: 'gateway', images: [from, 0] });
const load = (image: string): Node => node('LoadImage', { image });
/** ComfyUI has no node for a text without a model; it ignores the title of a node. */
const said: Workflow = {
  0: {
    class_type: 'EmptyImage',
    inputs: { width: 1, height: 1, batch_size: 1 },
    _meta: { title: '{{prompt}}' },
  },
};

/** Draws noise, which is another in each call, and blurs it so often and so far. */
const draw = (blurs: number, count: number | '{{count}}' = '{{count}}', radius = 2): Workflow => ({
  ...said,
  1: node('EmptyImage', { width: '{{width}}', height: '{{height}}', batch_size: count, color: 8_421_504 }),
  2: node('ImageAddNoise', { image: ['1', 0], seed: '{{seed}}', strength: 0.9 }),
  ...Object.fromEntries(
    Array.from({ length: blurs }, (_, at) => [
      `${at + 3}`,
      node('ImageBlur', { image: [`${at + 2}`, 0], blur_radius: radius, sigma: 1 }),
    ]),
  ),
  last: save(`${blurs + 2}`),
});
/** Adds noise to an input image. */
const edit: Workflow = {
  ...said,
  1: load('{{image_1}}'),
  2: node('ImageAddNoise', { image: ['1', 0], seed: '{{seed}}', strength: 0.1 }),
  last: save('2'),
};
/** Requires two input images. */
const join: Workflow = {
  ...said,
  1: load('{{image_1}}'),
  2: load('{{image_2}}'),
  3: node('ImageBatch', { image1: ['1', 0], image2: ['2', 0] }),
  4: node('ImageBlend', {
    image1: ['1', 0],
    image2: ['2', 0],
    blend_factor: 0.5,
    blend_mode: 'normal',
  }),
  5: node('ImageAddNoise', { image: ['4', 0], seed: '{{seed}}', strength: 0.1 }),
  last: save('5'),
};
const { last: _, ...withoutOutput } = draw(0, 1);
const preview: Workflow = { ...withoutOutput, last: node('PreviewImage', { images: ['2', 0] }) };
const unknown: Workflow = { ...draw(0, 1), last: node('SaveFox', { images: ['2', 0] }) };

const world = useWorld();
let comfyui: Comfyui;
let host: Receiver;
let catalogVersion: number;

/** Document in which the instance `comfy` runs one workflow for each model. */
function buildDocument(): string {
  const model = (type: string, inputs: object, route: object) => ({
    types: [type],
    price: { '1k': '0.004' },
    ...inputs,
    routes: [
      { provider: 'comfy', model: 'none', cost: { '1k': '0.001' }, types: [type], ...inputs, ...route },
    ],
  });
  const drawing = (workflow: Workflow, route: object = {}) =>
    model('image_generate', {}, { options: { workflow }, ...route });
  const editing = (workflow: Workflow, inputs: number) =>
    model(
      'image_edit',
      { max_inputs: inputs },
      { min_inputs: inputs, resolution: 'fixed', options: { workflow } },
    );
  const own = { protocol: 'comfyui', base_url: comfyui.url };
  return JSON.stringify({
    providers: { comfy: own, 'own-gpu': { ...own, repeat_unknown: true } },
    models: {
      drawn: drawing(draw(1), { max_images_per_call: 4 }),
      edited: editing(edit, 1),
      joined: editing(join, 2),
      endless: drawing(draw(ENDLESS, 1, SLOW_RADIUS)),
      // Long enough to be interrupted by a restart, short enough to be waited for.
      'slow-own': drawing(draw(60, 1), { provider: 'own-gpu' }),
      surplus: drawing(draw(0, 3)),
      preview: drawing(preview),
      unknown: drawing(unknown),
    },
  });
}

const readDocument = () => {
  const checked = checkDocument(buildDocument());
  if ('faults' in checked) {
    throw new Error(JSON.stringify(checked.faults));
  }
  return checked.catalog;
};
const start = () =>
  world.start(null, {
    settings: { PROVIDERS: '', SANDBOX_FALLBACK: 'false', OUTBOUND_ALLOW: host.hostPort },
    jobPace: PACE,
  });
const submit = (request: Parameters<typeof world.submit>[0]) =>
  world.submit(
    { aspect_ratio: '1:1', ...request },
    { price: { unitMicros: 4_000n, catalogVersion }, deadlineMs: 600_000 },
  );
const readJobs = async (id: string): Promise<string[]> =>
  (
    await world.sql(
      'SELECT provider_request_id AS job FROM provider_calls WHERE task_id = $1 AND provider_request_id IS NOT NULL ORDER BY created_at, id',
      [id],
    )
  ).map(({ job }) => String(job));
/** Submits an endless workflow and returns its task and its job once ComfyUI has it. */
async function submitEndless(): Promise<{ task: string; job: string }> {
  const task = await submit({ model: 'endless' });
  const [job = ''] = await eventually(
    async () => {
      const jobs = await readJobs(task);
      expect(jobs).toHaveLength(1);
      return jobs;
    },
    { timeoutMs: PATIENCE_MS },
  );
  return { task, job };
}
const cancel = (taskId: string) =>
  cancelTask({ db: world.test.db, newId, fileUrl: 'http://files.test' }, { taskId, accountId: null });
/** Lets the deadlines of tasks pass now. */
const expire = (ids: readonly string[]) =>
  world.sql(
    `UPDATE tasks SET deadline_at = now(), due_at = now() + interval '1 hour' WHERE id = ANY($1::text[])`,
    [ids],
  );
const settle = (check: () => Promise<void>) => eventually(check, { timeoutMs: PATIENCE_MS });
(COMFYUI_DIR === undefined ? describe.skip : describe)('ComfyUI itself', () => {
  beforeAll(async () => {
    const colours = [await drawImage('#ff0000', { width: 200 }), await drawImage('#00ff00', { width: 200 })];
    host = await startReceiver((response, { path }) => response.end(colours[path === '/red' ? 0 : 1]));
    comfyui = await startComfyui(COMFYUI_DIR ?? '', COMFYUI_PYTHON);
    catalogVersion = await applyCatalog(world.test, buildDocument());
  }, 180_000);
  afterAll(() => Promise.all([comfyui.stop(), host.close()]));

  test('ComfyUI itself draws several images in one call, each another one', async () => {
    start();
    const id = await submit({ model: 'drawn', num_outputs: 3 });
    expect(await world.ended(id, PATIENCE_MS)).toMatchObject({
      status: 'completed',
      call_count: 1,
      tries: 0,
    });
    expect(new Set((await world.outputs(id)).map(({ sha256 }) => sha256)).size).toBe(3);
    expect(await readJobs(id)).toHaveLength(1);
  });

  test('ComfyUI itself keeps an input image that is there, however many edit it at once', async () => {
    start();
    const ids = await Promise.all(
      [1, 2, 3].map(() => submit({ model: 'edited', image_urls: [`${host.url}/red`] })),
    );
    for (const id of ids) {
      expect(await world.ended(id, PATIENCE_MS)).toMatchObject({ status: 'completed', tries: 0 });
    }
    const inputs = await comfyui.inputs();
    expect(Object.keys(inputs)).toHaveLength(1);
    // Of another content under that name nothing is written over.
    const [[name = '', former]] = Object.entries(inputs) as [[string, Buffer]];
    await comfyui.putInput(name, Buffer.from('of somebody else'));
    const again = await submit({ model: 'edited', image_urls: [`${host.url}/red`] });
    expect(await world.ended(again, PATIENCE_MS)).toMatchObject({ status: 'completed', tries: 0 });
    const { [name]: foreign, ...others } = await comfyui.inputs();
    expect(foreign?.toString()).toBe('of somebody else');
    expect(Object.values(others)).toEqual([former]);
  });

  test('ComfyUI itself is asked for an edit of two images only with two', async () => {
    start();
    const model = readDocument().models.get('joined');
    const parser = createRequestParser({
      models: model ? [model] : [],
      isAllowedImageUrl: () => true,
      isAllowedWebhookUrl: () => true,
    });
    const [red, green] = [`${host.url}/red`, `${host.url}/green`];
    const body = (...image_urls: string[]) => ({ model: 'joined', prompt: 'a fox', image_urls });
    expect(parser.parse(body(red))).toMatchObject({ fault: expect.stringContaining('at least 2 URLs') });
    expect(parser.parse(body(red, green))).not.toHaveProperty('fault');
    const id = await submit({ model: 'joined', image_urls: [red, green] });
    expect(await world.ended(id, PATIENCE_MS)).toMatchObject({ status: 'completed', tries: 0 });
  });

  test('ComfyUI itself runs nothing any more of tasks whose deadlines passed together', async () => {
    start();
    const burst = [await submitEndless(), await submitEndless(), await submitEndless()];
    await settle(async () => expect((await comfyui.queue()).running).toHaveLength(1));
    await expire(burst.map(({ task }) => task));
    for (const { task } of burst) {
      expect(await world.ended(task, PATIENCE_MS)).toMatchObject({ status: 'failed', cost_micros: '0' });
      await settle(async () => expect(await world.calls(task)).toMatchObject([{ state: 'cut' }]));
    }
    await settle(async () => expect(await comfyui.queue()).toEqual({ running: [], pending: [] }));
    const history = await comfyui.history();
    expect(burst.map(({ job }) => history[job]).filter((outcome) => outcome === 'success')).toEqual([]);
  }, 240_000);

  test("ComfyUI itself loses what waits at a customer's cancel, and nothing else", async () => {
    start();
    const runs = await submitEndless();
    await settle(async () => expect((await comfyui.queue()).running).toEqual([runs.job]));
    const [waits, stays] = [await submitEndless(), await submitEndless()];
    expect(await cancel(waits.task)).toBe('pending');
    expect(await world.ended(waits.task, PATIENCE_MS)).toMatchObject({
      status: 'failed',
      error: 'The task was canceled.',
      cost_micros: '0',
    });
    expect(await world.calls(waits.task)).toMatchObject([{ state: 'cut', detail: 'withdrawn' }]);
    expect(await comfyui.queue()).toEqual({ running: [runs.job], pending: [stays.job] });
    // A workflow that runs is left to end: the customer gets it, and pays for it.
    expect(await cancel(runs.task)).toBe('pending');
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(await world.task(runs.task)).toMatchObject({ status: 'pending' });
    expect((await comfyui.queue()).running).toEqual([runs.job]);
    await expire([runs.task, stays.task]);
    await settle(async () => expect(await comfyui.queue()).toEqual({ running: [], pending: [] }));
  }, 240_000);

  test('ComfyUI itself forgets its queue at a restart: repeated where that costs nothing, else an unknown outcome', async () => {
    start();
    const own = await submit({ model: 'slow-own' });
    const other = await submitEndless();
    await settle(async () => expect(await readJobs(own)).toHaveLength(1));
    await comfyui.restart();
    expect(await world.ended(own, 120_000)).toMatchObject({ status: 'completed', stored_count: 1 });
    expect(await world.calls(own)).toMatchObject([{ state: 'unknown' }, { state: 'succeeded' }]);
    expect(await world.ended(other.task, PATIENCE_MS)).toMatchObject({ status: 'failed', cost_micros: '0' });
    expect(await world.calls(other.task)).toMatchObject([{ state: 'unknown' }]);
  }, 300_000);

  test('ComfyUI itself draws more than was asked for: what was asked is delivered, and the rest is told', async () => {
    start();
    const id = await submit({ model: 'surplus' });
    expect(await world.ended(id, PATIENCE_MS)).toMatchObject({ status: 'completed', stored_count: 1 });
    const told = world.lines.filter(
      ({ message }) => message === 'a provider drew more images than were asked for',
    );
    expect(told).toMatchObject([{ provider: 'comfy', asked: 1, surplus: 2 }]);
  });

  test.each([
    ['without an output', 'preview', 'unusable', 'bad-response'],
    ['with a node that it lacks', 'unknown', 'failed', 'config-drift'],
  ])(
    'ComfyUI itself refuses a workflow, or ends it without an image: %s',
    async (_, model, state, detail) => {
      start();
      const id = await submit({ model });
      expect(await world.ended(id, PATIENCE_MS)).toMatchObject({ status: 'failed', cost_micros: '0' });
      expect((await world.calls(id))[0]).toMatchObject({ state, detail });
    },
  );
});
