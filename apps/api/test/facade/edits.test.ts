import { expireTaskInputs } from '@image-gateway/shared/db';
import type { TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi } from '../support/start-api.js';
import { drawImages, startWorker, type TestWorker } from './support/start-worker.js';

let api: TestApi;
let owner: TestAccount;
let worker: TestWorker;
beforeAll(async () => {
  api = await startApi({ FACADE_MAX_WAIT: '20' });
  await api.store.ensureBucket();
  owner = await api.account();
  worker = startWorker(api);
});
afterAll(async () => {
  await worker.stop();
  await api.test.checkInvariants();
  await api.stop();
});

const PATH = '/openai/v1/images/edits';
type Part = readonly [name: string, value: string | Buffer];
interface Answered {
  readonly status: number;
  readonly task: string;
  readonly json: {
    readonly data: readonly { readonly b64_json: string }[];
    readonly error: { readonly message: string; readonly param: string; readonly code: string };
  };
}
const send = async (
  body: FormData | string,
  headers: Record<string, string> = {},
  as = owner,
): Promise<Answered> => {
  const response = await fetch(api.url + PATH, {
    method: 'POST',
    headers: { authorization: `Bearer ${as.apiKey}`, ...headers },
    body,
  });
  const json = (await response.json()) as Answered['json'];
  return { status: response.status, task: response.headers.get('x-gateway-task-id') ?? '', json };
};
const sendForm = (parts: readonly Part[], headers?: Record<string, string>, as?: TestAccount) => {
  const form = new FormData();
  for (const [name, value] of parts) {
    if (typeof value === 'string') {
      form.append(name, value);
    } else {
      form.append(name, new Blob([new Uint8Array(value)], { type: 'image/png' }), 'input.png');
    }
  }
  return send(form, headers, as);
};
const sendJson = (body: object) => send(JSON.stringify(body), { 'content-type': 'application/json' });
const seen = (task: string) => worker.seen.find(({ id }) => id === task);
const readInput = async (entry = '') =>
  (await api.store.read(entry.replace(/^input:/, 'inputs/')))?.toString('latin1');
const [first, second] = [Buffer.from('first image'), Buffer.from('\u0000second\r\nimage', 'latin1')];

describe('POST /openai/v1/images/edits', () => {
  test.each([
    ['image', ['image']],
    ['image[]', ['image[]', 'image[]']],
    ['image repeated', ['image', 'image']],
    ['image[0] and image[1]', ['image[0]', 'image[1]']],
  ])('a form with %s edits the images in their order', async (_, names) => {
    const files = [first, second].slice(0, names.length);
    const { status, json, task } = await sendForm([
      ...files.map((bytes, index) => [names[index] ?? '', bytes] as const),
      ...([
        ['prompt', 'make it night'],
        ['n', '2'],
        ['size', '1024x1024'],
        ['model', 'gpt-image-1'],
      ] as const),
    ]);
    expect(json.error).toBeUndefined();
    expect([status, json.data.map(({ b64_json }) => b64_json)]).toEqual([
      200,
      drawImages(task, 2).map((bytes) => bytes.toString('base64')),
    ]);
    const made = seen(task);
    expect([made?.ratio, made?.outputs]).toEqual(['1:1', 2]);
    expect(made?.inputs).toEqual(names.map(() => expect.stringMatching(/^input:[0-9A-Za-z]{22}$/)));
    const stored = await Promise.all((made?.inputs ?? []).map(readInput));
    expect(stored).toEqual(files.map((bytes) => bytes.toString('latin1')));
    const { rows } = await api.test.pool.query('SELECT id FROM task_inputs WHERE task_id = $1', [task]);
    expect(rows).toHaveLength(names.length);
  });

  test('a JSON body edits images of data URLs and of URLs', async () => {
    const url = 'https://images.example.com/fox.png';
    const data = `data:image/png;base64,${second.toString('base64')}`;
    const { status, task } = await sendJson({
      prompt: 'night',
      images: [{ image_url: data }, { image_url: url }],
    });
    const inputs = seen(task)?.inputs ?? [];
    expect([status, await readInput(inputs[0]), inputs[1]]).toEqual([200, second.toString('latin1'), url]);
  });

  test('the same Idempotency-Key with the same bytes joins the task; with other bytes it is refused', async () => {
    const headers = { 'idempotency-key': 'edit' };
    const ask = (bytes: Buffer) =>
      sendForm(
        [
          ['image', bytes],
          ['prompt', 'key'],
        ],
        headers,
      );
    const [one, two] = [await ask(first), await ask(first)];
    expect([one.status, two.status, two.task]).toEqual([200, 200, one.task]);
    expect((await ask(second)).status).toBe(400);
  });

  const large = Buffer.alloc(10 * 1024 * 1024 + 1, 7);
  test.each<[string, string, readonly Part[]]>([
    ['image', 'absent', [['prompt', 'x']]],
    [
      'image',
      'empty',
      [
        ['prompt', 'x'],
        ['image', Buffer.alloc(0)],
      ],
    ],
    [
      'image',
      'too large',
      [
        ['prompt', 'x'],
        ['image', large],
      ],
    ],
    ['image', 'repeated too often', [['prompt', 'x'], ...Array<Part>(10).fill(['image', first])]],
    [
      'mask',
      'a file',
      [
        ['prompt', 'x'],
        ['image', first],
        ['mask', first],
      ],
    ],
    ['prompt', 'absent', [['image', first]]],
  ])('names %s in a 400 when it is %s', async (param, _, parts) => {
    const { status, json } = await sendForm(parts);
    expect([status, json.error]).toMatchObject([400, { param, code: 'invalid_value' }]);
  });

  test.each([
    [{ prompt: 'x', images: [{ image_url: 'file:///etc/passwd' }] }],
    [{ prompt: 'x', images: [{ image_url: 'http://127.0.0.1/' }] }],
    [{ prompt: 'x', images: [{ image_url: 'input:0000000000000000000000' }] }],
  ])('POST /openai/v1/images/edits refuses %j', async (body) => {
    const { status, json } = await sendJson(body);
    expect([status, json.error.param]).toEqual([400, 'images']);
  });

  test('/v1 refuses names of uploads', async () => {
    const { rows } = await api.test.pool.query<{ id: string }>('SELECT id FROM task_inputs LIMIT 1');
    const body = { model: 'nanobanana', prompt: 'x', image_urls: [`input:${rows[0]?.id}`] };
    expect((await api.call('/v1/generate', { as: owner, body })).status).toBe(400);
  });

  test('malformed forms and other content types are a 400, and uploads are never served', async () => {
    const malformed = await send('x', { 'content-type': 'multipart/form-data; boundary=y' });
    const nothing = await send('x', { 'content-type': 'multipart/form-data' });
    const other = await send('x', { 'content-type': 'text/plain' });
    expect([malformed, nothing, other].map(({ status }) => status)).toEqual([400, 400, 400]);
    const { rows } = await api.test.pool.query<{ id: string }>('SELECT id FROM task_inputs LIMIT 1');
    expect((await api.call(`/files/inputs/${rows[0]?.id}`)).status).toBe(404);
  });

  test('an account has eight uploads at a time', async () => {
    const account = await api.account();
    const open = Array.from({ length: 8 }, () => holdUpload(account));
    await Promise.all(open.map(({ begun }) => begun));
    const ninth = await sendForm(
      [
        ['image', first],
        ['prompt', 'x'],
      ],
      {},
      account,
    );
    expect([ninth.status, ninth.json.error.code]).toEqual([429, 'rate_limit_exceeded']);
    const other = await sendForm(
      [
        ['image', first],
        ['prompt', 'x'],
      ],
      {},
      await api.account(),
    );
    expect(other.status).toBe(200);
    for (const { end } of open) {
      end();
    }
  });

  test('uploads of an erased task are due at once', async () => {
    const { task } = await sendForm([
      ['image', first],
      ['prompt', 'erased'],
    ]);
    await expireTaskInputs(api.test.db, task);
    const id = seen(task)?.inputs[0]?.replace('input:', '');
    const { rows } = await api.test.pool.query(
      'SELECT remove_at <= now() AS due FROM task_inputs WHERE id = $1',
      [id],
    );
    expect(rows).toEqual([{ due: true }]);
  });
});

/** Begins an upload that stays open until `end`. */
function holdUpload(account: TestAccount): { readonly begun: Promise<void>; readonly end: () => void } {
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const leaving = new AbortController();
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(
        Buffer.from('--x\r\nContent-Disposition: form-data; name="image"; filename="a"\r\n\r\nabc'),
      );
    },
    pull() {
      begin();
    },
  });
  const request = { method: 'POST', body, duplex: 'half', signal: leaving.signal } as RequestInit;
  const headers = {
    authorization: `Bearer ${account.apiKey}`,
    'content-type': 'multipart/form-data; boundary=x',
  };
  fetch(api.url + PATH, { ...request, headers }).catch(() => undefined);
  return { begun, end: () => leaving.abort() };
}
