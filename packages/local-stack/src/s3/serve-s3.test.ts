import { createHmac } from 'node:crypto';
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

/** An AWS signature of version 2 in the query: short enough to make by hand. */
function signedQuery(accessKey: string, secretKey: string, expires: number): string {
  const text = `GET\n\n\n${expires}\n/images/a.png`;
  const signature = createHmac('sha1', secretKey).update(text).digest('base64');
  return `AWSAccessKeyId=${accessKey}&Expires=${expires}&Signature=${encodeURIComponent(signature)}`;
}

describe('the guard', () => {
  const later = Math.floor(Date.now() / 1000) + 600;

  test('a request with the right signature is served', async () => {
    const answer = await send(
      'GET',
      `/images/a.png?${signedQuery('own-access-key', 'own-secret-key', later)}`,
    );
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
    ['GET', `/images/a.png?${signedQuery('S3RVER', 'S3RVER', later)}`],
    ['GET', `/images/a.png?${signedQuery('own-access-key', 'S3RVER', later)}`],
    ['GET', `/images/a.png?${signedQuery('own-access-key', 'own-secret-key', later - 1_200)}`],
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
    const after = await send(
      'GET',
      `/images/a.png?${signedQuery('own-access-key', 'own-secret-key', later)}`,
    );
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

  test('two signatures at once are refused', async () => {
    const query = signedQuery('own-access-key', 'own-secret-key', later);
    const answer = await send('GET', `/images/a.png?${query}`, { authorization: 'AWS x:y' });
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
