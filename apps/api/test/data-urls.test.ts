import { connect } from 'node:net';
import { eventually, type TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { startApi, type TestApi } from './support/start-api.js';

// Decoders start from sources here, which takes seconds on a busy machine.

let api: TestApi;
let small: Buffer;
let large: Buffer;
beforeAll(async () => {
  api = await startApi();
  await api.store.ensureBucket();
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const draw = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#000', noise } })
      .png()
      .toBuffer();
  small = await draw(40, 30);
  large = await draw(1_200, 900);
});
afterAll(async () => {
  await api.test.checkInvariants();
  await api.stop();
});

const toUrl = (bytes: Buffer, type = 'image/png'): string =>
  `data:${type};base64,${bytes.toString('base64')}`;
const send = (
  as: TestAccount,
  images: readonly unknown[],
  {
    path = '/v1/generate',
    headers = {},
    more = {},
  }: {
    readonly path?: string;
    readonly headers?: Record<string, string>;
    readonly more?: Readonly<Record<string, unknown>>;
  } = {},
) =>
  api.call(path, {
    as,
    headers,
    body: { model: 'nanobanana', prompt: 'make it night', image_urls: images, ...more },
  });
const readInputs = async (taskId: string): Promise<(Buffer | string)[]> => {
  const { rows } = await api.test.pool.query<{ image_urls: string[] }>(
    'SELECT image_urls FROM tasks WHERE id = $1',
    [taskId],
  );
  return Promise.all(
    (rows[0]?.image_urls ?? []).map(async (entry) =>
      entry.startsWith('input:') ? ((await api.store.read(`inputs/${entry.slice(6)}`)) ?? 'gone') : entry,
    ),
  );
};
const countRows = async (account: TestAccount): Promise<number> => {
  const { rows } = await api.test.pool.query('SELECT FROM task_inputs WHERE account_id = $1', [account.id]);
  return rows.length;
};

describe('data URLs in image_urls', () => {
  test('data URLs in image_urls are stored beside the task, mixed with URLs, in small and large bodies', async () => {
    const account = await api.account();
    for (const bytes of [small, large]) {
      const url = 'https://a.example/1.png';
      const { status, json } = await send(account, [toUrl(bytes), url, toUrl(small)]);
      expect(status).toBe(202);
      expect(await readInputs(json.data.id)).toEqual([bytes, url, small]);
      const { rows } = await api.test.pool.query('SELECT FROM task_inputs WHERE task_id = $1', [
        json.data.id,
      ]);
      expect(rows).toHaveLength(2);
    }
  });

  test('data URLs in image_urls come in chunks of unknown length too, with slashes escaped', async () => {
    const account = await api.account();
    const body = JSON.stringify({ model: 'nanobanana', prompt: 'x', image_urls: [toUrl(large)] });
    const response = await fetch(`${api.url}/v1/generate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' },
      body: new Blob([body.replaceAll('/', '\\/')]).stream(),
      duplex: 'half',
    } as RequestInit);
    const { data } = (await response.json()) as { readonly data: { readonly id: string } };
    expect(response.status).toBe(202);
    expect(await readInputs(data.id)).toEqual([large]);
  });

  test('many small bodies of unknown length of one account are taken at once', async () => {
    const account = await api.account();
    const submit = async (): Promise<number> => {
      const response = await fetch(`${api.url}/v1/generate`, {
        method: 'POST',
        headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' },
        body: new Blob([JSON.stringify({ model: 'nanobanana', prompt: 'x' })]).stream(),
        duplex: 'half',
      } as RequestInit);
      return response.status;
    };
    expect(await Promise.all(Array.from({ length: 40 }, submit))).toEqual(Array(40).fill(202));
  });

  test('data URLs in image_urls are compared by their bytes under an idempotency key', async () => {
    const account = await api.account();
    const headers = { 'idempotency-key': 'one' };
    const first = await send(account, [toUrl(large)], { headers });
    const again = await send(account, [toUrl(large, 'image/x-png')], { headers });
    expect([first.status, again.status, again.json.data.id]).toEqual([202, 202, first.json.data.id]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await send(account, [toUrl(small)], { headers })).json.error).toMatchObject({
      code: 'BAD_REQUEST',
    });
    expect(await countRows(account)).toBe(1);
  });

  test('data URLs in image_urls are priced without being stored', async () => {
    const account = await api.account();
    const before = await api.store.list('inputs/');
    const { status, json } = await send(account, [toUrl(large), toUrl(small)], { path: '/v1/quote' });
    expect({ status, data: json.data }).toMatchObject({
      status: 200,
      data: { type: 'image_edit', cost: '$0.0100' },
    });
    expect(await api.store.list('inputs/')).toEqual(before);
  });
});

describe('what a data URL may not be', () => {
  const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
  test.each<[string, () => string, RegExp]>([
    ['text', () => toUrl(Buffer.from('no image')), /is not a PNG, JPEG or WebP image/],
    ['another format', () => toUrl(gif, 'image/gif'), /is not a PNG, JPEG or WebP image/],
    ['half an image', () => toUrl(small.subarray(0, -40)), /is damaged/],
    ['half a large image', () => toUrl(large.subarray(0, -40)), /is damaged/],
    ['no base64', () => 'data:image/png;base64,%%%%', /is empty/],
    ['another encoding', () => 'data:image/svg+xml,<svg/>', /must hold its image in base64/],
    ['more than 10 MiB', () => toUrl(Buffer.alloc(10 * 2 ** 20 + 1)), /is too large/],
  ])(
    'a data URL of %s is 400 at submit and in a quote, and leaves nothing behind',
    async (_what, make, message) => {
      const account = await api.account();
      const before = await api.store.list('inputs/');
      const url = make();
      for (const path of ['/v1/generate', '/v1/quote']) {
        const { status, json } = await send(account, [toUrl(small), url], { path });
        expect({ status, ...json.error }).toEqual({
          status: 400,
          code: 'VALIDATION_ERROR',
          message: expect.stringMatching(new RegExp(`^image_urls\\[1\\] ${message.source}`)),
        });
      }
      expect(await countRows(account)).toBe(0);
      expect(await api.store.list('inputs/')).toEqual(before);
    },
  );

  test.each<[string, unknown, string]>([
    ['no text', 7, 'must be a string'],
    [
      'another scheme',
      'ftp://a.example/1.png',
      'must be an http or https URL, a data URL, or the ID of a file',
    ],
    ['an upload of another request', `input:${'0'.repeat(22)}`, 'must be an http or https URL, a data URL'],
    ['a long URL', `https://a.example/${'x'.repeat(8_200)}`, 'must have at most 8192 characters'],
    ['a broken URL', 'https://a b', 'is not a valid URL'],
    ['a user name', 'https://me@a.example/1.png', 'must not contain a user name or a password'],
    ['a private address', 'http://10.0.0.1/1.png', 'must lead to the public Internet'],
  ])('an entry that is %s is named with its own fault', async (_what, entry, fault) => {
    const account = await api.account();
    const { status, json } = await send(account, ['https://a.example/1.png', entry]);
    expect({ status, message: json.error.message }).toEqual({
      status: 400,
      message: expect.stringContaining(`image_urls[1] ${fault}`),
    });
  });

  test('a data URL of a request without money leaves nothing behind, whatever its size', async () => {
    const account = await api.account({ balanceMicros: 0n });
    const before = await api.store.list('inputs/');
    for (const bytes of [small, large]) {
      expect((await send(account, [toUrl(bytes)])).json.error).toMatchObject({
        code: 'INSUFFICIENT_BALANCE',
      });
    }
    expect(await countRows(account)).toBe(0);
    expect(await api.store.list('inputs/')).toEqual(before);
  });

  test('a body over 256 KiB without its images, or over 16 MiB with them, is 400', async () => {
    const account = await api.account();
    for (const more of [{ prompt: 'x'.repeat(300_000) }, { image: toUrl(large) }]) {
      const { status, json } = await send(account, [toUrl(small)], { more });
      expect({ status, ...json.error }).toMatchObject({ status: 400, code: 'BAD_REQUEST' });
    }
    const heavy = Array(9).fill(toUrl(Buffer.alloc(2 * 2 ** 20)));
    expect((await send(account, heavy)).json.error).toEqual({
      code: 'BAD_REQUEST',
      message: 'The body is larger than 16 MiB.',
    });
  });

  test('a data URL that breaks off leaves nothing behind', async () => {
    const account = await api.account();
    const before = await api.store.list('inputs/');
    const head = [
      'POST /v1/generate HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${account.apiKey}`,
      'Content-Type: application/json',
      'Content-Length: 5000000',
    ];
    const socket = connect(api.port, '127.0.0.1');
    socket.write(
      `${head.join('\r\n')}\r\n\r\n{"model":"nanobanana","prompt":"x","image_urls":["${toUrl(large)}`,
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    socket.destroy();
    await eventually(async () => expect(await countRows(account)).toBe(0));
    expect(await api.store.list('inputs/')).toEqual(before);
  });
});
