import { randomBytes } from 'node:crypto';
import type { TaskRow } from '@image-gateway/shared/db';
import type { TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { finishTask } from './support/finish-task.js';
import { startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
let account: TestAccount;
let task: TaskRow;
let path: string;
const image = randomBytes(300_000);

beforeAll(async () => {
  api = await startApi();
  account = await api.account();
  await api.store.ensureBucket();
  task = await finishTask(api, account, { images: [image] });
  path = `/files/images/${task.id}/0.png`;
  await api.store.put(`images/${task.id}/0.png`, image, { contentType: 'image/png' });
});
afterAll(() => api.stop());

async function get(headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(api.url + path, { headers, method });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

describe('an image of a completed task', () => {
  test('a image of a completed task is served to everybody, byte for byte, to be kept for ever', async () => {
    const { response, bytes } = await get();
    expect(response.status).toBe(200);
    expect(bytes.equals(image)).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': '300000',
      'accept-ranges': 'bytes',
      'cache-control': expect.stringContaining('immutable'),
      'x-content-type-options': 'nosniff',
    });
  });

  test('a image of a completed task answers HEAD with the same headers and no body', async () => {
    const { response, bytes } = await get({}, 'HEAD');
    expect([response.status, response.headers.get('content-length'), bytes.length]).toEqual([
      200,
      '300000',
      0,
    ]);
  });

  test('a image of a completed task is not sent again to who has it', async () => {
    const etag = (await get()).response.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/);
    for (const value of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const { response, bytes } = await get({ 'if-none-match': value });
      expect([response.status, response.headers.get('etag'), bytes.length]).toEqual([304, etag, 0]);
    }
    expect((await get({ 'if-none-match': '"other"' })).response.status).toBe(200);
  });

  test.each([
    ['bytes=0-9', 0, 9],
    ['bytes=299990-', 299_990, 299_999],
    ['bytes=-10', 299_990, 299_999],
    ['bytes=10-9999999', 10, 299_999],
  ])('a image of a completed task comes in parts: %s', async (range, start, end) => {
    const { response, bytes } = await get({ range });
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end}/300000`);
    expect(bytes.equals(image.subarray(start, end + 1))).toBe(true);
  });

  test.each(['bytes=300000-', 'bytes=-0'])(
    'a image of a completed task has no part %s: 416 in the envelope',
    async (range) => {
      const { response, bytes } = await get({ range });
      expect([response.status, response.headers.get('content-range')]).toEqual([416, 'bytes */300000']);
      expect(JSON.parse(bytes.toString())).toEqual({
        data: null,
        error: { code: 'RANGE_NOT_SATISFIABLE', message: expect.stringContaining('300000 bytes') },
      });
      expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    },
  );

  test.each(['bytes=0-1,5-6', 'lines=1-2', 'bytes=9-3', 'x'])(
    'a image of a completed task comes whole for the range %s',
    async (range) => {
      expect((await get({ range })).response.status).toBe(200);
    },
  );

  test('a image of a completed task comes whole when If-Range names another image', async () => {
    expect((await get({ range: 'bytes=0-9', 'if-range': '"other"' })).response.status).toBe(200);
  });
});

describe('nothing else is served', () => {
  const notFound = async (target: string) => {
    const { status, json } = await api.call(target);
    expect([target, status, json.error.code]).toEqual([target, 404, 'NOT_FOUND']);
  };

  test('nothing is served of unfinished and of failed tasks', async () => {
    const open = await finishTask(api, account, { images: [image], settle: false });
    await api.store.put(`images/${open.id}/0.png`, image, { contentType: 'image/png' });
    await notFound(`/files/images/${open.id}/0.png`);
    const failed = await finishTask(api, account, { images: [] });
    await api.store.put(`images/${failed.id}/0.png`, image, { contentType: 'image/png' });
    await notFound(`/files/images/${failed.id}/0.png`);
  });

  test('beside the images: other indexes, extensions, folders, listings, ways out', async () => {
    for (const target of [
      `/files/images/${task.id}/1.png`,
      `/files/images/${task.id}/0.jpg`,
      `/files/images/${task.id}/00.png`,
      `/files/images/${task.id}/`,
      `/files/images/${task.id}`,
      '/files/images/',
      '/files/images',
      '/files',
      '/files/images/..%2f..%2fetc/0.png',
      `/files/images/${task.id}/..%2f0.png`,
      '/files/images/%00/0.png',
    ]) {
      await notFound(target);
    }
  });
});

describe('trouble', () => {
  test('an object that is gone is 500 in the envelope and an error in the log', async () => {
    const lost = await finishTask(api, account, { images: [image] });
    const { status, json } = await api.call(`/files/images/${lost.id}/0.png`);
    expect([status, json.error.code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(json.error.message).toBe('Something went wrong on our side. Try again in a moment.');
    expect(api.lines.some((line) => line.includes('"level":"error"'))).toBe(true);
  });

  test('a reader that leaves half-way is not an error', async () => {
    const before = api.lines.filter((line) => line.includes('"level":"error"')).length;
    const leaving = new AbortController();
    const response = await fetch(api.url + path, { signal: leaving.signal });
    leaving.abort();
    await response.arrayBuffer().catch(() => undefined);
    expect((await get()).response.status).toBe(200);
    expect(api.lines.filter((line) => line.includes('"level":"error"'))).toHaveLength(before);
  });
});
