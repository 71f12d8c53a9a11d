import { eventually } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi } from '../support/start-api.js';
import { openBrowser } from './support/browser.js';
import { newOperator, type Owner, type Person, startWithPeople } from './support/people.js';

let api: TestApi;
let owner: Owner;
let operator: Person;
beforeAll(async () => {
  ({ api, operator, owner } = await startWithPeople());
});
afterAll(() => api.stop());

const BOARD = '//dashboard/board/';

describe('bull-board', () => {
  test.each(['', 'queue/generation', 'api/queues', 'static/locales/en-US/messages.json'])(
    'bull-board is there for operators only: %p',
    async (path) => {
      const nobody = await openBrowser(api).get(BOARD + path);
      const other = await owner.get(BOARD + path);
      expect([nobody.status, nobody.error?.code]).toEqual([401, 'UNAUTHORIZED']);
      expect([other.status, other.error?.code]).toEqual([403, 'FORBIDDEN']);
      expect((await operator.get(BOARD + path)).status).toBe(200);
    },
  );

  test('bull-board has a page without anything of other hosts, whose files are all there', async () => {
    const { headers, text } = await operator.get(BOARD);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/unsafe|http/);
    expect(text).not.toMatch(/https?:|<style|\sstyle=/);
    const files = [...text.matchAll(/(?:src|href)="(static\/[^"]+)"/g)].map(([, file]) => file ?? '');
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) {
      expect((await operator.get(BOARD + file)).status).toBe(200);
    }
    expect((await operator.get(`${BOARD}static/..%2f..%2fpackage.json`)).status).toBe(404);
  });

  test('bull-board shows the hints in both queues', async () => {
    const { data } = await owner.post('/generate', { model: 'nanobanana', prompt: 'a fox' });
    await eventually(async () => {
      const { status, text } = await operator.get(`${BOARD}api/queues?activeQueue=generation&status=latest`);
      const { queues } = JSON.parse(text) as { queues: { name: string; readOnlyMode: boolean }[] };
      expect({ status, queues: queues.map(({ name, readOnlyMode }) => [name, readOnlyMode]) }).toEqual({
        status: 200,
        queues: [
          ['generation', true],
          ['webhook', true],
        ],
      });
      expect(text).toContain(String(data.id));
    });
  });

  test.each([
    ['PUT', 'api/queues/generation/pause'],
    ['PUT', 'api/queues/pause'],
    ['PUT', 'api/queues/generation/empty'],
    ['PUT', 'api/queues/generation/obliterate'],
    ['POST', 'api/queues/generation/add'],
    ['PATCH', 'api/queues/generation/1/update-data'],
  ])('bull-board has no way to change anything: %s %s', async (method, path) => {
    const response = await fetch(`${api.url}${BOARD.slice(1)}${path}`, {
      method,
      headers: { cookie: operator.cookie(), origin: api.url },
    });
    expect(response.status).toBe(404);
  });

  test('bull-board is 503 while Redis is away, its page is there all the same', async () => {
    const lonely = await startApi({ AUTH_SECRET: 'x'.repeat(32), REDIS_URL: 'redis://127.0.0.1:1' });
    try {
      const person = await newOperator(lonely);
      const { status, error } = await person.get(`${BOARD}api/queues`);
      expect([status, error?.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect((await person.get(BOARD)).status).toBe(200);
    } finally {
      await lonely.stop();
    }
  });

  test('bull-board is 404 for what it does not know', async () => {
    const { status, error } = await operator.get(`${BOARD}api/nothing`);
    expect([status, error?.code]).toEqual([404, 'NOT_FOUND']);
  });
});
