import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { StorageError } from '@image-gateway/shared/storage';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type Stub, startStub } from './start-stub.js';

const png = { contentType: 'image/png' };
const body = Buffer.from('body');
let stub: Stub | undefined;
afterEach(() => stub?.close());

const start = async (answer: (request: IncomingMessage, response: ServerResponse) => void) => {
  stub = await startStub(answer);
  return stub;
};
const xmlError = (code: string) =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>m</Message></Error>`;

describe('what is sent', () => {
  test('a put is one signed request with If-None-Match as a header, the type, the size and the metadata', async () => {
    const { store, requests } = await start((_, response) => response.end());
    await store.put('images/gen_1/0.png', body, { ...png, metadata: { Sha256: 'abc' } });
    expect(requests).toHaveLength(1);
    const [{ method, url, headers }] = requests as [IncomingMessage];
    expect({ method, url }).toEqual({ method: 'PUT', url: '/images/images/gen_1/0.png' });
    expect(headers).toMatchObject({
      'if-none-match': '*',
      'content-type': 'image/png',
      'content-length': '4',
      'x-amz-meta-sha256': 'abc',
    });
    expect(headers.authorization).toMatch(/\/eu-test-1\/s3\/.*SignedHeaders=[^,]*if-none-match/);
    expect(Object.keys(headers).filter((name) => name.startsWith('x-amz-meta-'))).toEqual([
      'x-amz-meta-sha256',
    ]);
  });

  test('a put carries the SHA-256 that it was given, and no MD5 unless the store asks for one', async () => {
    const asked: unknown[] = [];
    const { store, requests } = await start(({ headers }, response) => {
      asked.push(headers['content-md5']);
      if (asked.length === 2) {
        response.writeHead(400);
        response.end(xmlError('InvalidRequest'));
      } else {
        response.end();
      }
    });
    await store.put('a', body, { ...png, sha256: 'a'.repeat(64) });
    await store.put('b', body, png);
    expect(requests.map(({ headers }) => headers['x-amz-content-sha256'])).toEqual([
      'a'.repeat(64),
      hash('sha256', body),
      hash('sha256', body),
    ]);
    expect(asked).toEqual([undefined, undefined, hash('md5', body, 'base64')]);
  });

  test('a body that is read while it is sent is read again for the MD5 that a store asks for', async () => {
    const { store, requests } = await start(({ headers }, response) => {
      const isRefused = headers['content-md5'] === undefined;
      response.writeHead(isRefused ? 400 : 200).end(isRefused ? xmlError('InvalidRequest') : '');
    });
    const streamed = { bytes: body.length, sha256: hash('sha256', body), open: () => Readable.from([body]) };
    expect(await store.put('a', streamed, png)).toBe('stored');
    expect(requests.map(({ headers }) => headers['content-md5'])).toEqual([
      undefined,
      hash('md5', body, 'base64'),
    ]);
  });

  test('replace sends no condition', async () => {
    const { store, requests } = await start((_, response) => response.end());
    await store.replace('a', body, png);
    expect(requests[0]?.headers['if-none-match']).toBeUndefined();
  });
});

describe('what the answers to a put mean', () => {
  test.each([412, 304])('%i without a body is "exists"', async (status) => {
    const { store } = await start((_, response) => response.writeHead(status).end());
    expect(await store.put('a', body, png)).toBe('exists');
  });

  test('409 is "exists" when there is an object', async () => {
    const { store } = await start(({ method }, response) =>
      method === 'PUT'
        ? response.writeHead(409).end(xmlError('ConditionalRequestConflict'))
        : response.writeHead(200, { 'content-length': '4' }).end(),
    );
    expect(await store.put('a', body, png)).toBe('exists');
  });

  test('409 without an object is an error to try again on', async () => {
    const { store } = await start(({ method }, response) =>
      method === 'PUT'
        ? response.writeHead(409).end(xmlError('ConditionalRequestConflict'))
        : response.writeHead(404).end(),
    );
    await expect(store.put('a', body, png)).rejects.toMatchObject({
      fault: 'answer',
      status: 409,
      retryable: true,
    });
  });

  test('replace takes no such answer for success', async () => {
    const { store } = await start((_, response) => response.writeHead(412).end());
    await expect(store.replace('a', body, png)).rejects.toMatchObject({ fault: 'answer', status: 412 });
  });
});

describe('nonsense', () => {
  test.each([
    ['an error page', 502, '<html><body>Bad Gateway'],
    ['a page of somebody else', 200, '<html><head></head></html>'],
    ['an error with the status of success', 200, xmlError('InternalError')],
    ['a redirect', 307, ''],
    ['no S3 at all', 400, '{"error": true}'],
    ['broken XML', 500, '<Error><Code>'],
  ])(
    '%s (%i) is a StorageError for a listing, and for a removal unless it says 200',
    async (_, status, text) => {
      const { store } = await start((_request, response) => response.writeHead(status).end(text));
      await expect(store.list('a/')).rejects.toBeInstanceOf(StorageError);
      if (status !== 200) {
        await expect(store.remove(['a'])).rejects.toBeInstanceOf(StorageError);
      }
    },
  );

  test('a removal that the server refuses for one key is an error', async () => {
    const refused = '<DeleteResult><Error><Key>b</Key><Code>AccessDenied</Code></Error></DeleteResult>';
    const { store } = await start((_, response) => response.end(refused));
    await expect(store.remove(['a', 'b'])).rejects.toMatchObject({
      fault: 'answer',
      serverCode: 'AccessDenied',
    });
  });

  test('a removal error about a key that is not there is none', async () => {
    const missing = '<DeleteResult><Error><Key>b</Key><Code>NoSuchKey</Code></Error></DeleteResult>';
    const { store } = await start((_, response) => response.end(missing));
    await store.remove(['a', 'b']);
  });

  test('the whole object in place of a part is an error', async () => {
    const { store } = await start((_, response) => response.end('0123456789'));
    await expect(store.stream('a', { start: 2, end: 3 })).rejects.toMatchObject({ fault: 'answer' });
  });

  test('a missing bucket is no missing object', async () => {
    const { store } = await start((_, response) => response.writeHead(404).end(xmlError('NoSuchBucket')));
    await expect(store.read('a')).rejects.toMatchObject({ fault: 'no-bucket', retryable: true });
    await expect(store.stream('a')).rejects.toMatchObject({ fault: 'no-bucket' });
  });

  test('an endless listing whose pages are empty ends', async () => {
    const page = '<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>';
    const { store } = await start((_, response) => response.end(page));
    expect(await store.list('a/')).toEqual([]);
  });

  test('no message carries the keys of the store', async () => {
    const { store } = await start((_, response) =>
      response.writeHead(403).end(xmlError('SignatureDoesNotMatch')),
    );
    const error = await store.list('a/').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      fault: 'refused',
      publicMessage: expect.not.stringContaining('object store'),
    });
    expect(String(error)).not.toMatch(/secret-secret/);
  });
});
