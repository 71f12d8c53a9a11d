import { createHash, createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createFileStore } from './create-file-store.js';
import { type S3Server, serveS3 } from './serve-s3.js';

let folder: string;
let server: S3Server;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'serve-s3-'));
  const store = await createFileStore({ folder, durable: false });
  await store.makeBucket('images');
  async function* content() {
    yield Buffer.from('a private image');
  }
  const request = { bucket: 'images', key: 'a.png', headers: {}, declared: {}, onlyNew: true };
  await store.put({ ...request, content: content() });
  server = await serveS3({
    folder,
    port: 0,
    bucket: 'images',
    accessKey: 'own-access-key',
    secretKey: 'own-secret-key',
    durable: false,
    onFault: (error) => {
      throw error;
    },
  });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

/** Sends a request as it is written: no path is tidied up on the way. */
function send(method: string, target: string, headers: Record<string, string> = {}) {
  const { port } = new URL(server.url);
  return new Promise<{ status: number; text: string; type: string }>((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, method, path: target, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, text, type: answer.headers['content-type'] ?? '' }),
      );
    });
    request.once('error', reject);
    request.end();
  });
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** Query with an AWS signature of version 4 for a GET of the image, made as the documents of the protocol say. */
function signQuery({ access = 'own-access-key', secret = 'own-secret-key', age = 0, expires = 600 } = {}) {
  const time = new Date(Date.now() - age * 1000).toISOString().replace(/[-:]|\.\d+/g, '');
  const scope = [time.slice(0, 8), 'us-east-1', 's3', 'aws4_request'];
  const query = [
    'X-Amz-Algorithm=AWS4-HMAC-SHA256',
    `X-Amz-Credential=${encodeURIComponent([access, ...scope].join('/'))}`,
    `X-Amz-Date=${time}`,
    `X-Amz-Expires=${expires}`,
    'X-Amz-SignedHeaders=host',
  ].join('&');
  const { host } = new URL(server.url);
  const canonical = ['GET', '/images/a.png', query, `host:${host}`, '', 'host', 'UNSIGNED-PAYLOAD'].join(
    '\n',
  );
  const digest = createHash('sha256').update(canonical).digest('hex');
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), digest].join('\n');
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return `${query}&X-Amz-Signature=${hmac(key, text).toString('hex')}`;
}

describe('the guard', () => {
  test.each([0, 60])('a request with the right signature of %i s ago is served', async (age) => {
    const answer = await send('GET', `/images/a.png?${signQuery({ age })}`);
    expect(answer).toMatchObject({ status: 200, text: 'a private image' });
  });

  test('an unsigned request is answered as S3 does', async () => {
    const answer = await send('GET', '/images/a.png');
    expect(answer).toMatchObject({ status: 403, type: expect.stringContaining('application/xml') });
    expect(answer.text).toContain('<Code>AccessDenied</Code>');
  });

  test.each([
    ['GET', '/images/a.png?X-Amz-Signature=x'],
    ['GET', '/images/a.png?x-amz-signature=x&x-amz-algorithm=AWS4-HMAC-SHA256'],
    ['GET', '/images/a.png?X-Amz-Algorithm=AWS4-HMAC-SHA256'],
    ['GET', '/images/a.png?Signature=x'],
    ['GET', '/images/a.png?Signature'],
    ['GET', '/images/../images/a.png'],
    ['GET', '/images/%2e%2e/images/a.png'],
    ['GET', '//images/a.png'],
    ['GET', 'http://s3.amazonaws.com/images/a.png'],
    ['HEAD', '/images/a.png'],
    ['OPTIONS', '/images/a.png'],
    ['OPTIONS', '/images/a.png?Signature=x'],
    ['POST', '/images'],
    ['POST', '/images?delete'],
    ['POST', '/images/a.png?uploads'],
    ['PUT', '/images/b.png'],
    ['PUT', '/other'],
    ['DELETE', '/images/a.png'],
    ['DELETE', '/images'],
    ['GET', '/images?list-type=2'],
    ['GET', '/images?location'],
    ['GET', '/images?policy'],
    ['GET', '/'],
    ['PROPFIND', '/images'],
  ])('%s %s is refused', async (method, target) => {
    const answer = await send(method, target);
    expect([400, 403, 404, 405, 501]).toContain(answer.status);
    expect(answer.text).not.toContain('a private image');
    const after = await send('GET', `/images/a.png?${signQuery()}`);
    expect(after.text).toBe('a private image');
  });

  test.each([
    ['Bearer own-secret-key', 400],
    ['AWS own-access-key:x', 403],
    [
      'AWS4-HMAC-SHA256 Credential=own-access-key/20260101/us-east-1/s3/aws4_request,SignedHeaders=host,Signature=x',
      403,
    ],
    ['', 403],
  ])('the header "Authorization: %s" opens nothing', async (authorization, _) => {
    const answer = await send('GET', '/images/a.png', {
      authorization,
      date: new Date().toUTCString(),
      'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
    });
    expect([400, 403, 500]).toContain(answer.status);
    expect(answer.text).not.toContain('a private image');
  });

  test.each([
    ['other keys', { access: 'other', secret: 'other' }, 'InvalidAccessKeyId'],
    ['another secret key', { secret: 'other' }, 'SignatureDoesNotMatch'],
    ['an expired address', { age: 1_200, expires: 600 }, 'AccessDenied'],
    ['a time that is yet to come', { age: -1_200 }, 'RequestTimeTooSkewed'],
    ['more than a week', { expires: 700_000 }, 'InvalidArgument'],
  ])('a signature with %s opens nothing', async (_, over, code) => {
    const answer = await send('GET', `/images/a.png?${signQuery(over)}`);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.text).toContain(`<Code>${code}</Code>`);
  });

  test.each([
    ['another method', 'DELETE', (query: string) => `/images/a.png?${query}`],
    ['another key', 'GET', (query: string) => `/images/b.png?${query}`],
    ['another parameter', 'GET', (query: string) => `/images/a.png?${query}&response-content-type=text/html`],
    [
      'a longer term',
      'GET',
      (query: string) => `/images/a.png?${query.replace('Expires=600', 'Expires=6000')}`,
    ],
    ['another scope', 'GET', (query: string) => `/images/a.png?${query.replace('us-east-1', 'us-east-2')}`],
    ['no signed host', 'GET', (query: string) => `/images/a.png?${query.replace('=host', '=date')}`],
  ])('a signature is good for what was signed, not for %s', async (_, method, change) => {
    const answer = await send(method, change(signQuery()));
    expect([400, 403]).toContain(answer.status);
    expect(answer.text).not.toContain('a private image');
    expect(await send('GET', `/images/a.png?${signQuery()}`)).toMatchObject({ text: 'a private image' });
  });

  test('two signatures at once are refused', async () => {
    const answer = await send('GET', `/images/a.png?${signQuery()}`, { authorization: 'AWS x:y' });
    expect(answer.status).toBe(400);
  });
});

test('a port that is taken is an error', async () => {
  const { port } = new URL(server.url);
  const other = await mkdtemp(path.join(tmpdir(), 'serve-s3-'));
  const options = {
    bucket: 'images',
    accessKey: 'a',
    secretKey: 'b',
    durable: false,
    onFault: () => undefined,
  };
  await expect(serveS3({ folder: other, port: Number(port), ...options })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
  await rm(other, { recursive: true });
});
