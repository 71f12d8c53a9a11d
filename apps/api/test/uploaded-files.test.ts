import { hash } from 'node:crypto';
import { connect } from 'node:net';
import { buildPng, eventually, type TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { createKeyMaker } from './support/create-key-maker.js';
import { startApi, type TestApi } from './support/start-api.js';

// Decoders start from sources here, which takes seconds on a busy machine.

let api: TestApi;
let png: Buffer;
let jpeg: Buffer;
beforeAll(async () => {
  api = await startApi();
  await api.store.ensureBucket();
  const image = sharp({ create: { width: 60, height: 40, channels: 3, background: '#246' } });
  png = await image.clone().png().toBuffer();
  jpeg = await image.clone().withMetadata({ orientation: 6 }).jpeg().toBuffer();
});
afterAll(async () => {
  await api.test.checkInvariants();
  await api.stop();
});

interface FileAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly data: {
    readonly id: string;
    readonly url: string;
    readonly content_type: string;
    readonly expires_at: string;
  };
  readonly error: { readonly code: string; readonly message: string };
}

const upload = async (
  key: string,
  bytes: Buffer,
  { type = 'image/png', to = api }: { readonly type?: string; readonly to?: TestApi } = {},
): Promise<FileAnswer> => {
  const isForm = type === 'form';
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(bytes)]), 'fox.png');
  const response = await fetch(`${to.url}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...(!isForm && { 'content-type': type }) },
    body: isForm ? form : new Uint8Array(bytes),
  });
  const { data, error } = (await response.json()) as Pick<FileAnswer, 'data' | 'error'>;
  return { status: response.status, headers: response.headers, data, error };
};
const keep = async (account: TestAccount): Promise<string> => (await upload(account.apiKey, png)).data.id;
const edit = (as: TestAccount, images: readonly string[], path = '/v1/generate') =>
  api.call(path, { as, body: { model: 'nanobanana', prompt: 'make it night', image_urls: images } });
const readPath = (url: string): string => new URL(url).pathname;
const listKeys = () => api.store.list('inputs/');
const readTask = async (id: string) => {
  const { rows } = await api.test.pool.query<{ image_urls: string[] }>(
    'SELECT image_urls FROM tasks WHERE id = $1',
    [id],
  );
  return rows[0];
};

describe('POST /v1/files', () => {
  test.each(['image/png', 'form', 'image/jpeg'])('POST /v1/files keeps an image (%s)', async (type) => {
    const account = await api.account();
    const bytes = type === 'image/jpeg' ? jpeg : png;
    const { status, headers, data } = await upload(account.apiKey, bytes, { type });
    const [contentType, extension] = type === 'image/jpeg' ? [type, 'jpg'] : ['image/png', 'png'];
    expect({ status, cache: headers.get('cache-control'), data }).toEqual({
      status: 200,
      cache: 'no-store',
      data: {
        id: expect.stringMatching(/^file_[0-9A-Za-z]{22}$/),
        url: `http://gateway.test/v1/files/${data.id}.${extension}`,
        content_type: contentType,
        bytes: bytes.length,
        width: 60,
        height: 40,
        sha256: hash('sha256', bytes),
        expires_at: expect.any(String),
      },
    });
    expect(Date.parse(data.expires_at) - Date.now()).toBeGreaterThan(23.9 * 3_600_000);
    const again = await upload(account.apiKey, bytes, { type });
    expect(again.data.id).not.toBe(data.id);
  });

  test('POST /v1/files takes an image whose part of a form has no file name, and one whose type is unknown', async () => {
    const account = await api.account();
    const part = (type: string) =>
      Buffer.concat([
        Buffer.from(`--x\r\nContent-Disposition: form-data; name="file"\r\nContent-Type: ${type}\r\n\r\n`),
        png,
        Buffer.from('\r\n--x--\r\n'),
      ]);
    const form = 'multipart/form-data; boundary=x';
    const answers = [
      await upload(account.apiKey, part('image/png'), { type: form }),
      await upload(account.apiKey, part('application/octet-stream'), { type: form }),
      await upload(account.apiKey, png, { type: 'application/octet-stream' }),
    ];
    expect(answers).toEqual(
      answers.map(() =>
        expect.objectContaining({
          status: 200,
          data: expect.objectContaining({ content_type: 'image/png', bytes: png.length }),
        }),
      ),
    );
  });

  test.each<[string, string, () => Buffer, string, RegExp]>([
    ['text', 'image/png', () => Buffer.from('no image'), 'VALIDATION_ERROR', /^file is not a PNG/],
    ['nothing', 'image/png', () => Buffer.alloc(0), 'VALIDATION_ERROR', /^file is empty/],
    ['half an image', 'form', () => png.subarray(0, -40), 'VALIDATION_ERROR', /^file is damaged/],
    ['too many bytes', 'image/png', () => Buffer.alloc(10 * 2 ** 20 + 1), 'VALIDATION_ERROR', /too large/],
    ['too many bytes in a form', 'form', () => Buffer.alloc(11 * 2 ** 20), 'VALIDATION_ERROR', /too large/],
    [
      'too many pixels',
      'image/png',
      () => buildPng({ width: 16_385, height: 1, depth: 8, colour: 'rgb' }),
      'VALIDATION_ERROR',
      /too many pixels/,
    ],
    ['another type', 'text/plain', () => png, 'BAD_REQUEST', /multipart\/form-data/],
  ])('POST /v1/files refuses %s, and keeps nothing of it', async (_what, type, make, code, message) => {
    const account = await api.account();
    const before = await listKeys();
    const { status, error } = await upload(account.apiKey, make(), { type });
    expect({ status, ...error }).toEqual({ status: 400, code, message: expect.stringMatching(message) });
    expect(await listKeys()).toEqual(before);
    const { rows } = await api.test.pool.query('SELECT FROM task_inputs WHERE account_id = $1', [account.id]);
    expect(rows).toHaveLength(0);
  });

  test('POST /v1/files keeps nothing of an upload that broke off', async () => {
    const account = await api.account();
    const before = await listKeys();
    const head = [
      'POST /v1/files HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${account.apiKey}`,
      'Content-Type: image/png',
      'Content-Length: 1000000',
    ];
    const socket = connect(api.port, '127.0.0.1');
    socket.write(`${head.join('\r\n')}\r\n\r\n${png.toString('latin1')}`, 'latin1');
    await new Promise((resolve) => setTimeout(resolve, 200));
    socket.destroy();
    expect((await upload(account.apiKey, png)).status).toBe(200);
    await eventually(async () => expect((await listKeys()).length).toBe(before.length + 1));
  });

  test('POST /v1/files takes as many files and bytes as the account may have, also of several at once', async () => {
    const own = await startApi({ MAX_FILES: '2' });
    const small = await startApi({ MAX_FILES_BYTES: String(png.length + 1) });
    try {
      for (const [to, most, name] of [
        [own, 2, 'MAX_FILES'],
        [small, 1, 'MAX_FILES_BYTES'],
      ] as const) {
        await to.store.ensureBucket();
        const account = await to.account();
        const first = await upload(account.apiKey, png, { to });
        expect(first.status).toBe(200);
        const more = await Promise.all([1, 2, 3].map(() => upload(account.apiKey, png, { to })));
        const kept = 1 + more.filter(({ status }) => status === 200).length;
        expect(kept).toBeLessThanOrEqual(most);
        const refused = more.find(({ status }) => status === 429);
        expect(refused?.error.message).toContain(`(${name})`);
        // The message says how to make room.
        expect(refused?.error.message).toContain('DELETE /v1/files/{id}');
        expect(refused?.error.message).toContain('http://gateway.test/dashboard/files');
        expect(refused?.headers.get('retry-after')).not.toBeNull();
        // Room that is free again can be used.
        const gone = await to.call(readPath(first.data.url), { as: account, method: 'DELETE' });
        expect(gone.status).toBe(204);
        expect((await upload(account.apiKey, png, { to })).status).toBe(200);
      }
    } finally {
      await own.stop();
      await small.stop();
    }
  });

  test('more uploads of an account than it has places wait for their turn', async () => {
    const account = await api.account();
    const answers = await Promise.all(Array.from({ length: 20 }, () => upload(account.apiKey, png)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  });
});

describe('a file in image_urls', () => {
  test('a file in image_urls, by id or URL, is one input of any key of its account', async () => {
    const account = await api.account();
    const { data } = await upload(account.apiKey, png);
    const makeKey = createKeyMaker(api, account);
    const other = await makeKey();
    const { status, json } = await edit(other, [data.id, 'https://a.example/1.png', data.url]);
    expect(status).toBe(202);
    const entry = data.id.replace('file_', 'input:');
    expect(await readTask(json.data.id)).toEqual({ image_urls: [entry, 'https://a.example/1.png', entry] });
  });

  test.each(['/v1/generate', '/v1/quote'])(
    "a file in image_urls that is unknown, deleted, expired or another account's is 400 at %s, before money",
    async (path) => {
      const [account, stranger] = [await api.account({ balanceMicros: 0n }), await api.account()];
      const [deleted, expired] = [await keep(account), await keep(account)];
      await api.call(`/v1/files/${deleted}`, { as: account, method: 'DELETE' });
      await api.test.pool.query("UPDATE task_inputs SET expires_at = now() - interval '1 s' WHERE id = $1", [
        expired.slice(5),
      ]);
      const foreign = await keep(stranger);
      for (const id of [deleted, expired, foreign, `file_${'0'.repeat(22)}`]) {
        const { status, json } = await edit(account, ['https://a.example/1.png', id], path);
        expect({ status, ...json.error }).toEqual({
          status: 400,
          code: 'VALIDATION_ERROR',
          message: expect.stringMatching(/^image_urls\[1\] names no file of this account/),
        });
      }
    },
  );

  test('a file in image_urls is kept for a day from its last use, and a repetition with its key needs none', async () => {
    const account = await api.account();
    const id = await keep(account);
    const set = "UPDATE task_inputs SET expires_at = now() + interval '1 minute' WHERE id = $1";
    await api.test.pool.query(set, [id.slice(5)]);
    const submit = () =>
      api.call('/v1/generate', {
        as: account,
        headers: { 'idempotency-key': 'once' },
        body: { model: 'nanobanana', prompt: 'x', image_urls: [id] },
      });
    const first = await submit();
    expect(first.status).toBe(202);
    const { rows } = await api.test.pool.query(
      "SELECT expires_at > now() + interval '23 hours' AS kept, task_id AS task FROM task_inputs WHERE id = $1",
      [id.slice(5)],
    );
    expect(rows).toEqual([{ kept: true, task: first.json.data.id }]);
    await api.call(`/v1/files/${id}`, { as: account, method: 'DELETE' });
    const again = await submit();
    expect({ status: again.status, id: again.json.data.id }).toEqual({
      status: 202,
      id: first.json.data.id,
    });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  test('a file in image_urls of the OpenAI-compatible API is an input, and gives the edit its shape', async () => {
    const account = await api.account();
    const { data } = await upload(account.apiKey, jpeg, { type: 'image/jpeg' });
    const { status, json } = await api.call('/openai/v1/images/edits', {
      as: account,
      body: { prompt: 'x', async: true, images: [{ image_url: data.url }] },
    });
    expect(status).toBe(202);
    const { rows } = await api.test.pool.query('SELECT aspect_ratio FROM tasks WHERE id = $1', [
      json.data.id,
    ]);
    // It lies in the file and stands for its viewer.
    expect(rows).toEqual([{ aspect_ratio: '2:3' }]);
  });
});

describe('GET /v1/files', () => {
  const list = async (as: TestAccount, query = '') => {
    const { status, json } = await api.call(`/v1/files${query}`, { as });
    return {
      status,
      ...(json.data as unknown as { files: { id: string }[]; pagination: object; bytes: number }),
    };
  };

  test('GET /v1/files lists the files of the account alone, newest first, page by page, without deleted and expired ones', async () => {
    const [account, stranger] = [await api.account(), await api.account()];
    await keep(stranger);
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      ids.unshift(await keep(account));
    }
    const [gone = '', old = '', ...kept] = ids;
    expect((await api.call(`/v1/files/${gone}`, { as: account, method: 'DELETE' })).status).toBe(204);
    await api.test.pool.query(`UPDATE task_inputs SET expires_at = now() - interval '1 s' WHERE id = $1`, [
      old.replace('file_', ''),
    ]);
    const first = await list(account, '?per_page=2');
    expect(first).toEqual({
      status: 200,
      files: kept.slice(0, 2).map((id) => expect.objectContaining({ id, bytes: png.length })),
      pagination: { page: 1, per_page: 2, total: 3, total_pages: 2 },
      bytes: 3 * png.length,
      max_files: 1_000,
      max_bytes: 5 * 1024 ** 3,
    });
    const second = await list(account, '?per_page=2&page=2');
    expect(second.files.map(({ id }) => id)).toEqual(kept.slice(2));
    const later = await list(account, '?per_page=2&page=9');
    expect([later.files, later.bytes]).toEqual([[], 3 * png.length]);
  });

  test('GET /v1/files needs the scope read, and says what an account without a payment may keep', async () => {
    const account = await api.account({ balanceMicros: 0n });
    const drawer = await createKeyMaker(api, account)('--scopes', 'generate');
    expect((await list({ ...account, apiKey: drawer.apiKey })).status).toBe(403);
    expect(await list(account)).toMatchObject({ files: [], bytes: 0, max_bytes: 100 * 1024 ** 2 });
  });
});

describe('GET and DELETE /v1/files/{id}', () => {
  test('GET gives the bytes to keys that may read, and to the one that uploaded them', async () => {
    const account = await api.account();
    const makeKey = createKeyMaker(api, account);
    const [maker, reader, drawer] = [
      await makeKey('--scopes', 'generate'),
      await makeKey('--scopes', 'read'),
      await makeKey('--scopes', 'generate'),
    ];
    const { data } = await upload(maker.apiKey, png);
    const get = async (apiKey: string, path = readPath(data.url)) => {
      const response = await fetch(api.url + path, { headers: { authorization: `Bearer ${apiKey}` } });
      return { response, bytes: Buffer.from(await response.arrayBuffer()) };
    };
    for (const { apiKey } of [maker, reader]) {
      const { response, bytes } = await get(apiKey);
      expect(bytes.equals(png)).toBe(true);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'image/png',
        'content-length': String(png.length),
        'cache-control': 'private, no-store',
        'x-content-type-options': 'nosniff',
      });
    }
    expect((await get(reader.apiKey, `/v1/files/${data.id}`)).response.status).toBe(200);
    const stranger = await api.account();
    for (const [apiKey, path] of [
      [drawer.apiKey, undefined],
      [stranger.apiKey, undefined],
      [reader.apiKey, `/v1/files/${data.id}.jpg`],
      [reader.apiKey, '/v1/files/nothing'],
    ] as const) {
      expect((await get(apiKey, path)).response.status).toBe(404);
    }
    expect((await fetch(api.url + readPath(data.url))).status).toBe(401);
  });

  test('DELETE is for keys that may delete, and for the one that uploaded the file', async () => {
    const account = await api.account();
    const makeKey = createKeyMaker(api, account);
    const [maker, reader, deleter] = [
      await makeKey('--scopes', 'generate'),
      await makeKey('--scopes', 'read,generate'),
      await makeKey('--scopes', 'delete'),
    ];
    const stranger = await api.account();
    const remove = async (apiKey: string, id: string): Promise<number> =>
      (await api.call(`/v1/files/${id}`, { as: { ...account, apiKey }, method: 'DELETE' })).status;
    const [first, second] = [await upload(maker.apiKey, png), await upload(maker.apiKey, png)];
    expect(await remove(reader.apiKey, first.data.id)).toBe(403);
    expect(await remove(stranger.apiKey, first.data.id)).toBe(404);
    expect(await remove(deleter.apiKey, first.data.id)).toBe(204);
    expect(await remove(maker.apiKey, second.data.id)).toBe(204);
    expect(await remove(maker.apiKey, second.data.id)).toBe(404);
  });

  test('a file goes with the last task that used it when that task is erased, and with no earlier one', async () => {
    const account = await api.account();
    const makeKey = createKeyMaker(api, account);
    const deleter = await makeKey('--scopes', 'delete,read');
    const id = await keep(account);
    const tasks = [await edit(account, [id]), await edit(account, [id])].map(({ json }) => json.data.id);
    const remove = async (task = '') => {
      await api.call(`/v1/tasks/${task}/cancel`, { as: account, method: 'POST' });
      const gone = await api.call(`/v1/tasks/${task}`, {
        as: { ...account, apiKey: deleter.apiKey },
        method: 'DELETE',
      });
      expect(gone.status).toBe(204);
      return (await api.call(`/v1/files/${id}`, { as: account })).status;
    };
    expect([await remove(tasks[0]), await remove(tasks[1])]).toEqual([200, 404]);
  });
});
