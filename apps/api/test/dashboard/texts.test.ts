import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TestApi } from '../support/start-api.js';
import { type Owner, type Person, startWithPeople } from './support/people.js';

let api: TestApi;
let owner: Owner;
let operator: Person;
beforeAll(async () => {
  ({ api, operator, owner } = await startWithPeople({ ALLOW_SIGNUP: 'true' }));
});
afterAll(() => api.stop());

const ODD = ['a\u0000b', 'a\ud800', '\udc00b'];

describe('texts that PostgreSQL cannot store', () => {
  test.each(ODD)('%j in a body of an owner is a 400 that names the field', async (text) => {
    for (const [path, body, name] of [
      ['/keys', { name: text }, 'name'],
      ['/keys', { name: 'x', limits: { models: [text] } }, 'limits.models[0]'],
      ['/sign-in', { email: text, password: 'long enough 7' }, 'email'],
      ['/sign-up', { email: `${text}@example.com`, password: 'long enough 7' }, 'email'],
      ['/password', { current: text, next: 'long enough 7' }, 'current'],
    ] as const) {
      const { status, error } = await owner.post(path, body);
      expect([path, status, error?.code]).toEqual([path, 400, 'VALIDATION_ERROR']);
      expect(error?.message).toMatch(/NUL characters (and|or) unpaired surrogates/);
      expect(error?.message).toContain(name);
    }
    const test = await owner.post('/webhooks/test', { url: `https://hooks.example/${text}` });
    expect(test.status).toBe(400);
    const task = await owner.post('/generate', { model: 'nanobanana', prompt: text });
    expect([task.status, task.error?.message]).toEqual([400, expect.stringMatching(/surrogates/)]);
  });

  test.each(ODD)('%j in a body of an operator is a 400', async (text) => {
    for (const [path, body] of [
      [`/operator/accounts/${owner.accountId}/credit`, { amount: '1.00', reason: text }],
      [`/operator/accounts/${owner.accountId}/credit`, { amount: '1.00', reason: 'x', reference: text }],
      [`/operator/accounts/${owner.accountId}/adjust`, { amount: '1.00', reason: text }],
      [`/operator/tasks/gen_${'0'.repeat(22)}/fail`, { reason: text }],
      [`/operator/models/apply`, { from: 1, source: '', note: text }],
      [`/operator/models/check`, { source: text }],
    ] as const) {
      expect([path, (await operator.post(path, body)).status]).toEqual([path, 400]);
    }
  });

  test('NUL in a query is a 400', async () => {
    for (const [who, path] of [
      [operator, '/operator/accounts?q=%00'],
      [operator, '/operator/audit?subject=a%00'],
      [owner, '/images?model=%00'],
      [owner, '/usage?model=%00'],
      [owner, '/tasks?model=%00'],
    ] as const) {
      expect([path, (await who.get(path)).status]).toEqual([path, 400]);
    }
  });

  test.each(['%00', 'a%00b', '%F0%9F%A6%8A', 'a%20b', '..%2f', 'x'.repeat(69)])(
    'a path with %s in place of an id is a 404',
    async (id) => {
      const routes = api.routes.filter(
        ({ path }) => path.startsWith('/dashboard/api/') && path.includes(':'),
      );
      expect(routes.length).toBeGreaterThan(20);
      for (const { method, path } of routes) {
        const who = path.includes('/operator/') ? operator : owner;
        const place = path.slice('/dashboard/api'.length).replace(/:\w+/g, id);
        const { status } = await (method === 'get' ? who.get(place) : who.post(place, {}));
        expect([path, status]).toEqual([path, 404]);
      }
    },
  );
});
