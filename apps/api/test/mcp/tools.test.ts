import { sumFiles } from '@image-gateway/shared/db';
import { eventually, type TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { countTasks } from '../facade/support/request-rows.js';
import { drawImages, startWorker, type TestWorker } from '../facade/support/start-worker.js';
import { createKeyMaker } from '../support/create-key-maker.js';
import { finishTask } from '../support/finish-task.js';
import { startApi, type TestApi } from '../support/start-api.js';
import { connectClient, RELEASES, type ToolClient } from './support/connect-client.js';

let api: TestApi;
let worker: TestWorker;
let account: TestAccount;
let client: ToolClient;
beforeAll(async () => {
  api = await startApi({ MCP_CONFIRM_ABOVE: '0.03' });
  await api.store.ensureBucket();
  worker = startWorker(api);
  account = await api.account();
  client = await connectClient(api, account);
});
afterAll(async () => {
  await client.close();
  await worker.stop();
  await api.test.checkInvariants();
  await api.stop();
});

const PLAIN_KEYWORDS = [
  'type',
  'description',
  'enum',
  'properties',
  'required',
  'items',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'pattern',
];

interface Keyword {
  readonly keyword: string;
  readonly value: unknown;
}

/** Returns every keyword of a schema with its value, those of its properties and items too. */
function findKeywords(schema: object): readonly Keyword[] {
  return Object.entries(schema).flatMap(([keyword, value]: [string, unknown]) => {
    const inner =
      keyword === 'properties'
        ? Object.values(value as Record<string, object>).flatMap(findKeywords)
        : keyword === 'items'
          ? findKeywords(value as object)
          : [];
    return [{ keyword, value }, ...inner];
  });
}

/** Stores a finished task with images of these sizes, and returns its id. */
async function finishImages(sizes: readonly number[]): Promise<string> {
  const images = sizes.map((bytes) => Buffer.alloc(bytes, 1));
  const { id } = await finishTask(api, account, { images, request: { prompt: 'wait' } });
  await Promise.all(
    images.map((bytes, index) =>
      api.store.put(`images/${id}/${index}.png`, bytes, { contentType: 'image/png' }),
    ),
  );
  return id;
}

const fox = { prompt: 'a red fox' };
/** Costs $0.0400. */
const foxes = { ...fox, num_outputs: 4 };

describe.each(RELEASES)('the tools, called with the client of %s', (release) => {
  let caller: ToolClient;
  beforeAll(async () => {
    caller = await connectClient(api, account, release);
  });
  afterAll(() => caller.close());

  test('each tool says what it does to the world, and describes its arguments and its result', async () => {
    const tools = await caller.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      'cancel_task',
      'edit_image',
      'generate_image',
      'get_account',
      'get_task',
      'list_models',
      'quote',
      'upload_image',
    ]);
    const readers = tools.filter(({ annotations }) => annotations?.readOnlyHint === true);
    expect(readers.map(({ name }) => name).sort()).toEqual([
      'get_account',
      'get_task',
      'list_models',
      'quote',
    ]);
    for (const { name, outputSchema } of tools) {
      expect([name, outputSchema]).toEqual([name, expect.objectContaining({ type: 'object' })]);
    }
    const generate = tools.find(({ name }) => name === 'generate_image')?.inputSchema;
    expect(generate?.required).toEqual(['prompt']);
    expect(Object.keys(generate?.properties ?? {})).toEqual(
      expect.arrayContaining(['model', 'num_outputs', 'idempotency_key', 'confirm_above', 'confirm_cost']),
    );
    expect(generate?.properties).not.toHaveProperty('image_urls');
    const edit = tools.find(({ name }) => name === 'edit_image')?.inputSchema;
    expect(edit?.required).toEqual(['prompt', 'image_urls']);
  });

  test('a generation waits for its end and has its images as links and as content', async () => {
    const { value, content, isError } = await caller.call('generate_image', { ...fox, num_outputs: 2 });
    expect([isError, value]).toEqual([
      false,
      expect.objectContaining({ status: 'completed', model: 'nanobanana', cost: '$0.0200' }),
    ]);
    const { urls } = value.output as { readonly urls: readonly string[] };
    const images = drawImages(String(value.id), 2).map((bytes) => bytes.toString('base64'));
    expect(content.slice(1)).toEqual([
      expect.objectContaining({ type: 'resource_link', uri: urls[0] }),
      expect.objectContaining({ type: 'resource_link', uri: urls[1] }),
      { type: 'image', mimeType: 'image/png', data: images[0] },
      { type: 'image', mimeType: 'image/png', data: images[1] },
    ]);
    expect(JSON.parse(content[0]?.text ?? '')).toEqual(value);
  });

  test('models, quote and account are those of /v1', async () => {
    const models = await api.call('/v1/models', { as: account });
    expect((await caller.call('list_models')).value).toEqual({
      default_model: 'nanobanana',
      models: models.json.data,
    });
    const body = { ...fox, model: 'nanobanana', num_outputs: 3 };
    const quote = await api.call('/v1/quote', { as: account, body });
    expect((await caller.call('quote', { ...fox, num_outputs: 3 })).value).toEqual(quote.json.data);
    const own = await api.call('/v1/account', { as: account });
    expect((await caller.call('get_account')).value).toEqual(own.json.data);
  });
});

describe('money', () => {
  test('a price above the limit is quoted, and bought with the quoted price only', async () => {
    const owner = await api.account();
    const caller = await connectClient(api, owner);
    const order = foxes;
    const asked = await caller.call('generate_image', order);
    const { cost } = asked.value.quote as { readonly cost: string };
    expect(asked).toMatchObject({
      isError: false,
      value: { status: 'confirmation_required', quote: { units: 4 } },
    });
    expect(asked.text).toContain(`confirm_cost \\"${cost}\\"`);
    const cheaper = await caller.call('generate_image', { ...order, confirm_cost: '$0.0001' });
    expect(cheaper.value.status).toBe('confirmation_required');
    expect(await countTasks(api.test, owner)).toBe(0);
    const bought = await caller.call('generate_image', { ...order, confirm_cost: cost });
    expect(bought.value).toMatchObject({ status: 'completed', cost });
    expect(await countTasks(api.test, owner)).toBe(1);
    await caller.close();
  });

  test('confirm_above lowers the limit and cannot raise it', async () => {
    const owner = await api.account();
    const caller = await connectClient(api, owner);
    const statuses = async (given: object) =>
      (await caller.call('generate_image', { ...fox, ...given })).value.status;
    expect(await statuses({ confirm_above: '0.005' })).toBe('confirmation_required');
    expect(await statuses({ confirm_above: 0.005 })).toBe('confirmation_required');
    expect(await statuses({ ...foxes, confirm_above: '100.00' })).toBe('confirmation_required');
    expect(await statuses({ confirm_above: '0.0100' })).toBe('completed');
    const words = await caller.call('generate_image', { ...fox, confirm_above: 'a little' });
    expect([words.isError, words.text]).toEqual([
      true,
      'VALIDATION_ERROR: confirm_above must be dollars as text, such as "$0.1600".',
    ]);
    expect(await countTasks(api.test, owner)).toBe(1);
    await caller.close();
  });

  test('equal calls are separate tasks, and one task with an idempotency_key, confirmed once', async () => {
    const owner = await api.account();
    const caller = await connectClient(api, owner);
    await Promise.all([caller.call('generate_image', fox), caller.call('generate_image', fox)]);
    expect(await countTasks(api.test, owner)).toBe(2);
    const order = { ...foxes, idempotency_key: 'one' };
    const { value } = await caller.call('generate_image', order);
    const { cost } = value.quote as { readonly cost: string };
    const first = await caller.call('generate_image', { ...order, confirm_cost: cost });
    const again = await caller.call('generate_image', order);
    expect([again.value.status, again.value.id]).toEqual(['completed', first.value.id]);
    expect(await countTasks(api.test, owner)).toBe(3);
    await caller.close();
  });

  test('an empty account buys nothing and is told so', async () => {
    const poor = await api.account({ balanceMicros: 0n });
    const caller = await connectClient(api, poor);
    const { isError, text } = await caller.call('generate_image', fox);
    expect([isError, text]).toEqual([true, expect.stringMatching(/^INSUFFICIENT_BALANCE: The balance/)]);
    await caller.close();
  });
});

describe('tasks', () => {
  test('a task that takes long is answered as pending in time, and get_task waits for its end', async () => {
    const submitted = await api.call('/v1/generate', {
      as: account,
      body: { ...fox, model: 'nanobanana', prompt: 'wait' },
    });
    const { id } = submitted.json.data;
    const waiting = client.call('get_task', { task_id: id });
    await eventually(async () => {
      const { rows } = await api.test.pool.query('SELECT 1 FROM tasks WHERE id = $1', [id]);
      expect(rows).toHaveLength(1);
    });
    const canceled = await client.call('cancel_task', { task_id: id });
    expect(canceled.value).toMatchObject({ id, status: 'failed' });
    const ended = await waiting;
    expect(ended).toMatchObject({
      isError: true,
      value: { id, status: 'failed', error: expect.any(String) },
    });
  });

  test('an edit takes the result of a generation, and each tool refuses the input of the other', async () => {
    const { value } = await client.call('generate_image', fox);
    const { url } = value.output as { readonly url: string };
    const edited = await client.call('edit_image', { prompt: 'at night', image_urls: [url] });
    expect(edited.value).toMatchObject({ status: 'completed', type: 'image_edit' });
    const wrong = await client.call('generate_image', { ...fox, image_urls: [url] });
    expect(wrong.text).toBe('VALIDATION_ERROR: image_urls must be absent: edit_image edits images.');
    const missing = await client.call('edit_image', fox);
    expect(missing.text).toMatch(/^VALIDATION_ERROR: image_urls must be a list/);
    const none = await client.call('generate_image', {});
    expect(none.text).toMatch(/^VALIDATION_ERROR: prompt is required/);
  });

  test('an uploaded image can be edited, and what is no image leaves nothing behind', async () => {
    const owner = await api.account();
    const caller = await connectClient(api, owner);
    const png = await sharp({ create: { width: 60, height: 40, channels: 3, background: '#246' } })
      .png()
      .toBuffer();
    const file = { data: png.toString('base64'), content_type: 'image/png' };
    const { value, isError } = await caller.call('upload_image', file);
    expect([isError, value]).toMatchObject([false, { bytes: png.length, width: 60, height: 40 }]);
    const edited = await caller.call('edit_image', { prompt: 'at night', image_urls: [value.id] });
    expect(edited.value).toMatchObject({ status: 'completed', type: 'image_edit' });
    const upright = await sharp({ create: { width: 40, height: 60, channels: 3, background: '#246' } })
      .png()
      .toBuffer();
    const drawShape = async (image: string, more: object = {}): Promise<unknown> => {
      const { value: task } = await caller.call('edit_image', { prompt: 'x', image_urls: [image], ...more });
      return (await api.call(`/v1/tasks/${String(task.id)}?view=full`, { as: owner })).json.data;
    };
    const dataUrl = `data:image/png;base64,${upright.toString('base64')}`;
    expect(await drawShape(String(value.id))).toMatchObject({ aspect_ratio: '16:9' });
    expect(await drawShape(dataUrl)).toMatchObject({ aspect_ratio: '9:16' });
    expect(await drawShape(dataUrl, { aspect_ratio: '16:9' })).toMatchObject({ aspect_ratio: '16:9' });
    const faults = [
      { ...file, data: `data:image/png;base64,${file.data}` },
      { ...file, content_type: 'text/plain' },
      { ...file, data: Buffer.from('no image').toString('base64') },
    ];
    const texts = await Promise.all(
      faults.map(async (fault) => (await caller.call('upload_image', fault)).text),
    );
    expect(texts).toEqual([
      expect.stringMatching(/^VALIDATION_ERROR: data must be an image in base64/),
      expect.stringMatching(/^VALIDATION_ERROR: content_type must be/),
      expect.stringMatching(/^VALIDATION_ERROR: file is not a PNG, JPEG or WebP image/),
    ]);
    expect(await sumFiles(api.test.db, owner.id)).toMatchObject({ files: 1, bytes: png.length });
    await caller.close();
  });

  test('arguments that a tool does not have are named as ignored', async () => {
    const drawn = await client.call('generate_image', { ...fox, n: 4, bogus: 1, size: null });
    expect(drawn.value).toMatchObject({ status: 'completed', ignored: ['n', 'bogus'], cost: '$0.0100' });
    expect(JSON.parse(drawn.text)).toEqual(drawn.value);
    expect(drawn.content.map(({ type }) => type)).toEqual(['text', 'resource_link', 'image']);
    const got = await client.call('get_task', { id: drawn.value.id, wait: 5 });
    expect(got.value).toMatchObject({ status: 'completed', ignored: ['wait'] });
  });

  test('the id of a task may be called id, and a call without one says so', async () => {
    const { value } = await client.call('generate_image', fox);
    const got = await client.call('get_task', { id: value.id });
    expect([got.value.id, got.value.ignored]).toEqual([value.id, undefined]);
    for (const tool of ['get_task', 'cancel_task']) {
      const missing = await client.call(tool, {});
      expect([missing.isError, missing.text]).toEqual([
        true,
        'VALIDATION_ERROR: task_id is required: the id of a task, "gen_…".',
      ]);
    }
  });

  test('arguments are described in keywords that every vendor of models takes, without null', async () => {
    const tools = await client.listTools();
    const found = tools.flatMap(({ inputSchema }) => findKeywords(inputSchema));
    expect(found.filter(({ keyword }) => !PLAIN_KEYWORDS.includes(keyword))).toEqual([]);
    expect(found.filter(({ keyword, value }) => keyword === 'type' && typeof value !== 'string')).toEqual([]);
    expect(
      found.filter(({ keyword, value }) => keyword === 'enum' && (value as unknown[]).includes(null)),
    ).toEqual([]);
    const drawn = await client.call('generate_image', { ...fox, model: null, quality: null });
    expect(drawn.value).toMatchObject({ status: 'completed', model: 'nanobanana' });
  });

  test('images are content while the whole message stays below 900 kB; the others are links', async () => {
    const id = await finishImages([500_000, 300_000, 150_000]);
    const { content } = await client.call('get_task', { task_id: id });
    expect(content.map(({ type }) => type)).toEqual([
      'text',
      'resource_link',
      'resource_link',
      'resource_link',
      'image',
      'image',
    ]);
    expect(content.slice(4).map(({ data = '' }) => Buffer.from(data, 'base64').length)).toEqual([
      500_000, 150_000,
    ]);
  });

  test.each(['2024-11-05', '2025-06-18', '2025-11-25'])(
    'a message of revision %s stays below 900 kB, whatever the sizes of its images',
    async (revision) => {
      const sizes = [
        [1_000_000],
        [900_000],
        [700_000],
        [660_000],
        [650_000, 20_000],
        [600_000, 60_000, 60_000],
      ];
      for (const images of sizes) {
        const id = await finishImages(images);
        const { status, text } = await api.call('/mcp', {
          as: account,
          headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': revision },
          body: {
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: { name: 'get_task', arguments: { task_id: id } },
          },
        });
        expect([status, text.includes(id)]).toEqual([200, true]);
        expect([images, Buffer.byteLength(text) < 900_000]).toEqual([images, true]);
      }
    },
  );

  test("a key without a scope is refused by the tool that needs it, and another account's task is unknown", async () => {
    const createKey = createKeyMaker(api, account);
    const reader = await connectClient(api, await createKey('--scopes', 'read'));
    expect((await reader.call('get_account')).value).toHaveProperty('balance');
    const refused = await reader.call('generate_image', fox);
    expect(refused.text).toBe('FORBIDDEN: This key lacks the scope "generate".');
    await reader.close();
    const stranger = await connectClient(api, await api.account());
    const { id } = (await client.call('generate_image', fox)).value;
    expect((await stranger.call('get_task', { task_id: id })).text).toBe('NOT_FOUND: There is no such task.');
    await stranger.close();
  });
});
