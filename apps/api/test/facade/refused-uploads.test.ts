import { hash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { AppError } from '@image-gateway/shared/errors';
import { newInputEntry } from '@image-gateway/shared/ids';
import { createLogger } from '@image-gateway/shared/logging';
import { applyCatalog, eventually, type TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { storeAndSubmit } from '../../src/file/uploads/store-inputs.js';
import { startApi, type TestApi } from '../support/start-api.js';
import { startWorker, type TestWorker } from './support/start-worker.js';

let api: TestApi;
let worker: TestWorker;
beforeAll(async () => {
  api = await startApi({ FACADE_MAX_WAIT: '20' });
  await api.store.ensureBucket();
  worker = startWorker(api);
});
afterAll(async () => {
  await worker.stop();
  await api.test.checkInvariants();
  await api.stop();
});

const EDITS = '/openai/v1/images/edits';
const GENERATIONS = '/openai/v1/images/generations';
const DATA_URL = `data:image/png;base64,${Buffer.from('an image').toString('base64')}`;
type Fields = Readonly<Record<string, string>>;

const send = async (as: TestAccount, body: FormData | object, path = EDITS) => {
  const isForm = body instanceof FormData;
  const response = await fetch(api.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${as.apiKey}`,
      ...(!isForm && { 'content-type': 'application/json' }),
    },
    body: isForm ? body : JSON.stringify(body),
  });
  const json = (await response.json()) as { error?: { message: string; param: string; code: string } };
  return {
    status: response.status,
    error: json.error,
    task: response.headers.get('x-gateway-task-id') ?? '',
  };
};
const form = (fields: Fields, files = 9, name = 'image[]', isFirst = false): FormData => {
  const made = new FormData();
  const addFiles = (): void => {
    for (let index = 0; index < files; index++) {
      made.append(name, new Blob([new Uint8Array([1, 2, index])]), 'input.png');
    }
  };
  if (isFirst) {
    addFiles();
  }
  for (const [field, value] of Object.entries(fields)) {
    made.append(field, value);
  }
  if (!isFirst) {
    addFiles();
  }
  return made;
};
const countUploads = async (account: TestAccount): Promise<number> => {
  const { rows } = await api.test.pool.query('SELECT FROM task_inputs WHERE account_id = $1', [account.id]);
  return rows.length;
};

test('a caller who can pay the lowest quality only is not refused before the body is read', async () => {
  const own = await startApi({ ENABLED_MODELS: 'gpt-image' });
  try {
    await applyCatalog(own.test, '');
    const send = async (balanceMicros: bigint) => {
      const account = await own.account({ balanceMicros });
      const { json } = await own.call('/openai/v1/images/edits', {
        as: account,
        body: {
          model: 'gpt-image',
          quality: 'low',
          size: '1-1',
          prompt: 'x',
          images: [{ image_url: DATA_URL }],
        },
      });
      return (json as { readonly error: { readonly code: string | null; readonly param?: string } }).error;
    };
    const reader = await own.account();
    await eventually(async () => {
      const { json } = await own.call('/v1/models', { as: reader });
      expect(JSON.stringify(json)).toContain('gpt-image');
    });
    // The size is refused behind the judgement of the caller.
    expect([await send(4_300n), await send(4_299n)]).toMatchObject([
      { param: 'size' },
      { code: 'insufficient_quota' },
    ]);
  } finally {
    await own.stop();
  }
});

describe('uploads of refused requests', () => {
  test.each<[string, (account: TestAccount) => FormData | object]>([
    ['a bad size', () => form({ prompt: 'x', size: '1-1' })],
    ['a bad size behind the images', () => form({ prompt: 'x', size: '1-1' }, 9, 'image[]', true)],
    ['an unknown model', () => form({ prompt: 'x', model: 'no-such-model' })],
    ['no prompt', () => form({})],
    ['more images than one asks for', () => form({ prompt: 'x', n: '99' }, 9, 'image', true)],
    ['an unknown model in JSON', () => ({ prompt: 'x', model: 'nope', images: Array(9).fill(DATA_URL) })],
    ['301 data URLs', () => ({ prompt: 'x', images: Array(301).fill({ image_url: DATA_URL }) })],
  ])('twelve requests with %s leave nothing, and the next good edit is drawn', async (_, make) => {
    const account = await api.account();
    for (let times = 0; times < 12; times++) {
      expect((await send(account, make(account))).status).toBe(400);
    }
    expect(await countUploads(account)).toBe(0);
    expect((await send(account, form({ prompt: 'good' }))).status).toBe(200);
  });

  test('an account without money stores nothing and reads 403; with money its next edit is drawn', async () => {
    const account = await api.account({ balanceMicros: 0n });
    for (let times = 0; times < 12; times++) {
      expect((await send(account, form({ prompt: 'x' }))).error).toMatchObject({
        code: 'insufficient_quota',
        message: expect.stringMatching(
          /^The balance does not cover this request, which costs at least \$0\.\d+: \$0\.00 is /,
        ),
      });
    }
    expect(await countUploads(account)).toBe(0);
  });

  test('an edit whose price is known only at its end stores nothing where the money is not enough', async () => {
    const account = await api.account({ balanceMicros: 15_000n });
    const { error } = await send(account, form({ prompt: 'x', n: '3' }, 2, 'image', true));
    expect(error?.code).toBe('insufficient_quota');
    expect(await countUploads(account)).toBe(0);
  });

  test.each([
    ['INSUFFICIENT_BALANCE', 0],
    ['INTERNAL_ERROR', 1],
  ] as const)(
    'an upload whose submit ends with %s is removed, unless its task may have been committed',
    async (code, left) => {
      const account = await api.account();
      const [name, body] = [newInputEntry(), Buffer.from('an image')];
      const submitting = storeAndSubmit(
        {
          db: api.test.db,
          store: api.store,
          logger: createLogger({ service: 'test', level: 'error', write: () => undefined }),
          unpaidLimits: { ownBytes: 1, allBytes: 1 },
        },
        {
          accountId: account.id,
          images: [{ entry: name.entry, digest: hash('sha256', body), upload: { name, body } }],
        },
        async () => {
          expect(await api.store.read(name.key)).toEqual(body);
          throw new AppError(code);
        },
      );
      await expect(submitting).rejects.toMatchObject({ code });
      expect([await countUploads(account), (await api.store.read(name.key)) === null]).toEqual([
        left,
        left === 0,
      ]);
    },
  );

  test('a replayed edit stores its images once', async () => {
    const account = await api.account();
    const ask = async () => {
      const response = await fetch(api.url + EDITS, {
        method: 'POST',
        headers: { authorization: `Bearer ${account.apiKey}`, 'idempotency-key': 'once' },
        body: form({ prompt: 'x' }, 2),
      });
      await response.arrayBuffer();
      return [response.status, response.headers.get('idempotent-replayed')];
    };
    expect([await ask(), await ask()]).toEqual([
      [200, null],
      [200, 'true'],
    ]);
    expect(await countUploads(account)).toBe(2);
  });
});

describe('bodies that are refused early', () => {
  test.each<[string, () => FormData]>([
    [
      'a file of 18 MB',
      () => {
        const made = new FormData();
        made.append('prompt', 'x');
        made.append('image', new Blob([randomBytes(18_000_000)]), 'photo.jpg');
        return made;
      },
    ],
    [
      'a mask of 9 MB',
      () => {
        const made = form({ prompt: 'x' }, 1);
        made.append('mask', new Blob([randomBytes(9_000_000)]), 'mask.png');
        return made;
      },
    ],
  ])('%s is answered within a second, after a client has sent all of it', async (_, make) => {
    const account = await api.account();
    const request = new Request(`${api.url}/x`, { method: 'POST', body: make() });
    const body = Buffer.from(await request.arrayBuffer());
    const begun = performance.now();
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(api.port, '127.0.0.1');
      let got = '';
      socket.on('error', reject);
      // Reads only when everything is sent, as Python's http.client does.
      socket.pause();
      socket.write(
        `POST ${EDITS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${account.apiKey}\r\nContent-Length: ${body.length}\r\nContent-Type: ${request.headers.get('content-type')}\r\n\r\n`,
      );
      socket.write(body, () => socket.resume());
      socket.on('data', (chunk) => {
        got += chunk.toString();
        if (got.includes('}}')) {
          socket.destroy();
          resolve(got);
        }
      });
    });
    expect(text).toMatch(/^HTTP\/1.1 400 /);
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  test('form fields that are no UTF-8 are refused', async () => {
    const account = await api.account();
    const body = Buffer.concat([
      Buffer.from('--x\r\nContent-Disposition: form-data; name="prompt"\r\n\r\nf'),
      Buffer.from([0xfc]),
      Buffer.from('r\r\n--x--\r\n'),
    ]);
    const response = await fetch(api.url + EDITS, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${account.apiKey}`,
        'content-type': 'multipart/form-data; boundary=x',
      },
      body,
    });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param: 'prompt' } }]);
  });

  test('an absolute request target gets the error object of OpenAI', async () => {
    const account = await api.account();
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(api.port, '127.0.0.1');
      let got = '';
      socket.on('data', (chunk) => {
        got += chunk.toString();
      });
      socket.on('error', reject);
      socket.on('close', () => resolve(got));
      socket.write(
        `POST http://x${GENERATIONS} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${account.apiKey}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
      );
    });
    expect(text).toContain('"param":"prompt"');
  });
});

describe('images in JSON', () => {
  const url = 'https://images.example.com/fox.png';
  test.each<[string, object, number]>([
    ['image', { image: DATA_URL }, 1],
    ['image[]', { 'image[]': [DATA_URL, url] }, 2],
    ['images', { images: [{ image_url: DATA_URL }, { image_url: { url } }] }, 2],
    ['image_url', { image_url: url }, 1],
    ['image_urls', { image_urls: [url, DATA_URL] }, 2],
    ['input_image', { input_image: DATA_URL }, 1],
  ])('%s in a body of generations makes it an edit', async (_, images, count) => {
    const account = await api.account();
    const small = await send(account, { prompt: 'night', negative_prompt: 'fog', ...images }, GENERATIONS);
    // The same as a stream.
    const large = await send(
      account,
      {
        prompt: 'night',
        unknown: ' '.repeat(100_000),
        image: `data:image/png;base64,${'A'.repeat(400_000)}`,
      },
      GENERATIONS,
    );
    expect([small.error, large.error]).toEqual([undefined, undefined]);
    const { rows } = await api.test.pool.query(
      'SELECT type, negative_prompt AS negative, cardinality(image_urls) AS inputs FROM tasks WHERE id = ANY($1) ORDER BY created_at',
      [[small.task, large.task]],
    );
    expect(rows).toEqual([
      { type: 'image_edit', negative: 'fog', inputs: count },
      { type: 'image_edit', negative: null, inputs: 1 },
    ]);
  });

  test('the bytes of data URLs are stored as they were, whatever is escaped and however the body is cut', async () => {
    const account = await api.account();
    const images = [randomBytes(300_001), randomBytes(2), randomBytes(70_000)];
    const body = JSON.stringify({
      prompt: 'data:text/plain;base64,aGVsbG8= and "quotes"\\',
      images: images.map((bytes) => ({ image_url: `data:image/png;base64,${bytes.toString('base64')}` })),
    }).replaceAll('/', '\\/');
    const response = await fetch(api.url + EDITS, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' },
      body,
    });
    expect(response.status).toBe(200);
    const task = worker.seen.find(({ id }) => id === response.headers.get('x-gateway-task-id'));
    expect(task?.prompt).toBe('data:text/plain;base64,aGVsbG8= and "quotes"\\');
    const stored = await Promise.all(
      (task?.inputs ?? []).map((entry) => api.store.read(entry.replace(/^input:/, 'inputs/'))),
    );
    expect(stored.map((bytes, index) => images[index]?.equals(bytes ?? Buffer.alloc(0)))).toEqual([
      true,
      true,
      true,
    ]);
  });

  test('the tenth image ends a request, however many follow', async () => {
    const account = await api.account();
    const begun = performance.now();
    const answers = await Promise.all(
      [DATA_URL, 'http://a.co/1'].map((entry) =>
        send(account, { prompt: 'x', images: Array(300_000).fill(entry) }),
      ),
    );
    expect(answers.map(({ status, error }) => [status, error?.param])).toEqual([
      [400, 'images'],
      [400, 'images'],
    ]);
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  test.each([[{ image: 5 }], [{ images: [null] }], [{ image_url: 'iVBORw0KGgo=' }]])(
    '%j in a body of generations is refused by name',
    async (images) => {
      const { status, error } = await send(await api.account(), { prompt: 'x', ...images }, GENERATIONS);
      expect([status, error?.param]).toEqual([400, Object.keys(images)[0]]);
    },
  );
});
