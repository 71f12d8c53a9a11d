import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi } from './support/start-api.js';

let api: TestApi;

beforeAll(async () => {
  api = await startApi({ AUTH_SECRET: 'x'.repeat(32) });
});
afterAll(() => api.stop());

describe('the root', () => {
  test('the root says in the envelope what this is and where the documentation is', async () => {
    const { status, json } = await api.call('/');
    expect([status, json]).toEqual([
      200,
      {
        data: { about: expect.stringContaining('image-gateway'), docs: 'http://gateway.test/docs' },
        error: null,
      },
    ]);
  });
});

describe('one slash at the end of a path', () => {
  test('one slash at the end of a path is ignored on every known path', async () => {
    const as = await api.account();
    const body = { model: 'nanobanana', prompt: 'x' };
    expect((await api.call('/v1/generate/', { as, body })).status).toBe(202);
    for (const path of ['/v1/tasks/?per_page=1', '/v1/usage/', '/v1/usage/summary/']) {
      expect([path, (await api.call(path, { as })).status]).toEqual([path, 200]);
    }
    for (const path of [
      '/v1/openapi.json/',
      '/healthz/',
      '/readyz/',
      '/dashboard/',
      '/dashboard/api/session/',
    ]) {
      expect([path, (await api.call(path)).status]).toEqual([path, 200]);
    }
  });

  test('leads from /docs/ to the page, whose links are relative to /docs', async () => {
    const { status, headers } = await api.call('/docs/');
    expect([status, headers.get('location')]).toEqual([308, '../docs']);
  });

  test('one slash at the end of a path opens no unknown path, and two slashes are not one', async () => {
    const as = await api.account();
    for (const path of ['/v1/nothing/', '/v1/tasks//', '//', '/v1//']) {
      expect([path, (await api.call(path, { as })).status]).toEqual([path, 404]);
    }
  });
});

describe('a far page', () => {
  test.each(['9007199254740993', '99999999999999999999', '1'.repeat(300)])(
    '%.25s is empty, with the right totals',
    async (page) => {
      const as = await api.account();
      await api.call('/v1/generate', { as, body: { model: 'nanobanana', prompt: 'x' } });
      for (const [path, total] of [
        ['/v1/tasks', 1],
        ['/v1/tasks?status=pending', 1],
        ['/v1/usage', 0],
      ] as const) {
        const { status, json } = await api.call(`${path}${path.includes('?') ? '&' : '?'}page=${page}`, {
          as,
        });
        expect([path, status, json.data.items, json.data.pagination.total]).toEqual([path, 200, [], total]);
      }
    },
  );
});

describe('the longest body', () => {
  test('nine image URLs of 8192 characters are taken', async () => {
    const image_urls = Array.from({ length: 9 }, (_, i) => `https://example.com/${i}${'x'.repeat(8171)}`);
    const body = {
      model: 'nanobanana',
      prompt: '🦊'.repeat(2000),
      negative_prompt: '🦊'.repeat(1000),
      image_urls,
    };
    const { status, json } = await api.call('/v1/generate', { as: await api.account(), body });
    expect([status, json.data.type]).toEqual([202, 'image_edit']);
  });
});
