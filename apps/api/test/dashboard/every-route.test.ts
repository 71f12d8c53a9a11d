import { buildPng } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { finishTask } from '../support/finish-task.js';
import type { ServedRoute } from '../support/read-routes.js';
import { startApi, type TestApi } from '../support/start-api.js';
import { type Browser, openBrowser, type PageAnswer } from './support/browser.js';
import { newOperator, newOwner, type Owner, type Person, toAccount } from './support/people.js';

const API = '/dashboard/api';
const OPEN = [
  '/session',
  '/sign-in',
  '/sign-up',
  '/sign-up/confirm',
  '/email/confirm',
  '/password/forgot',
  '/password/reset',
  '/sign-out',
];
const OF_EVERYBODY = ['/email', '/password', '/sessions', '/sessions/end-others'];

let api: TestApi;
let owner: Owner;
let stranger: Owner;
let suspended: Owner;
let operator: Person;
/** By the place of its id in a path: something that belongs to `owner`. */
let owned: Record<string, string>;

beforeAll(async () => {
  api = await startApi({ AUTH_SECRET: 'x'.repeat(32) });
  [owner, stranger, suspended, operator] = await Promise.all([
    newOwner(api),
    newOwner(api),
    newOwner(api),
    newOperator(api),
  ]);
  await operator.post(`/operator/accounts/${suspended.accountId}/suspend`, { reason: 'unpaid' });
  const apiKeyId = String((await owner.post('/keys', { name: 'mine' })).data.id);
  const account = toAccount(owner, apiKeyId);
  const task = await finishTask(api, account, { request: { webhook_url: 'https://hooks.example/' } });
  const { data } = await owner.get('/webhooks');
  const [delivery] = (data as { items: { id: string }[] }).items;
  const { users } = (await operator.get(`/operator/accounts/${owner.accountId}`)).data as {
    users: { id: string }[];
  };
  const event = (await owner.post('/webhooks/test', { url: 'https://hooks.example/' })).data;
  await api.store.ensureBucket();
  const png = new Uint8Array(buildPng({ width: 8, height: 8, depth: 8, colour: 'rgb' }));
  const file = (await owner.post('/files', new Blob([png], { type: 'image/png' }))).data;
  const receiver = { url: 'https://hooks.example/', types: ['key.cap_reached'] };
  const endpoint = (await owner.post('/endpoints', receiver)).data;
  owned = {
    '/files/:id': String(file.id),
    '/endpoints/:id': String(endpoint.id),
    '/keys/:id': apiKeyId,
    '/tasks/:id': task.id,
    '/webhooks/:id': delivery?.id ?? '',
    '/tests/:id': String(event.id),
    '/users/:user': users[0]?.id ?? '',
    '/accounts/:id': owner.accountId,
    '/keys/:key': apiKeyId,
  };
});
afterAll(() => api.stop());

/** Bodies that are right, so that nothing but the person and the resource can be wrong. */
const BODIES: Readonly<Record<string, object>> = {
  '/keys/:id/rotate': { grace_hours: 1 },
  '/operator/accounts/:id/credit': { amount: '1.00', reason: 'x' },
  '/operator/accounts/:id/adjust': { amount: '1.00', reason: 'x' },
  '/operator/accounts/:id/limits': { max_open_tasks: null },
  '/operator/accounts/:id/set-password': { email: 'new@example.com', password: 'long enough 7' },
  '/operator/accounts/:id/suspend': { reason: 'x' },
  '/operator/accounts/:id/users/:user/email': { email: 'moved@example.com' },
  '/operator/accounts/:id/keys/:key/rotate': { grace_hours: 1 },
  '/operator/models/providers/:name/key': { keys: 'k', password: 'x' },
  '/operator/models/providers/:name/key/remove': { password: 'x' },
  '/operator/models/providers/:name/limit': { cost_day: null },
  '/operator/models/providers/:name/pause': { hours: 1 },
  '/operator/operators/:id/remove': { password: 'correct horse 9 battery' },
  '/operator/models/routes/:id': { from: 1, routes: [] },
  '/operator/models/routes/:id/check': { from: 1, routes: [] },
  '/operator/tasks/:id/fail': { reason: 'x' },
  '/operator/tasks/:id/refund': { reason: 'x' },
};

const all = (): { readonly method: ServedRoute['method']; readonly name: string }[] =>
  api.routes
    .filter(({ path }) => path.startsWith(`${API}/`))
    .map(({ method, path }) => ({ method, name: path.slice(API.length) }));
const isOperators = (name: string): boolean => name.startsWith('/operator/');
const isOwners = (name: string): boolean =>
  !isOperators(name) && !OPEN.includes(name) && !OF_EVERYBODY.includes(name);

type Seen = readonly [route: string, status: number, data: unknown, code: string | undefined];
const ask = (who: Browser, method: ServedRoute['method'], path: string, name = path): Promise<PageAnswer> =>
  method === 'get' ? who.get(path) : who.post(path, BODIES[name] ?? {});

/** Asks one route after the other; what a test expects of each stands beside what was seen. */
async function each(
  routes: readonly { readonly method: ServedRoute['method']; readonly name: string }[],
  path: (name: string) => string,
  who: Browser,
  [status, code]: readonly [number, string],
): Promise<{ readonly seen: Seen[]; readonly expected: Seen[] }> {
  const seen: Seen[] = [];
  for (const { method, name } of routes) {
    const answer = await ask(who, method, path(name), name);
    seen.push([`${method} ${name}`, answer.status, answer.data, answer.error?.code]);
  }
  return { seen, expected: routes.map(({ method, name }) => [`${method} ${name}`, status, null, code]) };
}
const anyId = (name: string): string => name.replace(/:\w+/g, 'x_1');

describe('every route of the dashboard', () => {
  test('every route of the dashboard is found in the router', () => {
    expect(all().length).toBeGreaterThan(40);
    for (const name of [...OPEN, ...OF_EVERYBODY]) {
      expect(all().map((route) => route.name)).toContain(name);
    }
    for (const name of Object.keys(BODIES)) {
      expect(all().map((route) => route.name)).toContain(name);
    }
  });

  test('every route of the dashboard is 401 without a session, but for those that make one and the document', async () => {
    const closed = all().filter(({ name }) => !OPEN.includes(name));
    const { seen, expected } = await each(closed, anyId, openBrowser(api), [401, 'UNAUTHORIZED']);
    expect(seen).toEqual(expected);
  });

  test('every route of the dashboard of operators is 403 for owners', async () => {
    const theirs = all().filter(({ name }) => isOperators(name));
    expect(theirs.length).toBeGreaterThan(15);
    const { seen, expected } = await each(theirs, anyId, owner, [403, 'FORBIDDEN']);
    expect(seen).toEqual(expected);
  });

  test('every route of the dashboard of owners is 403 for operators', async () => {
    const theirs = all().filter(({ name }) => isOwners(name));
    expect(theirs.length).toBeGreaterThan(15);
    const { seen, expected } = await each(theirs, anyId, operator, [403, 'FORBIDDEN']);
    expect(seen).toEqual(expected);
  });

  test('every route of the dashboard that changes something is 403 while the account is suspended, and its owner reads on', async () => {
    const closed = all().filter(({ method, name }) => method === 'post' && !OPEN.includes(name));
    const { seen, expected } = await each(closed, anyId, suspended, [403, 'FORBIDDEN']);
    expect(seen).toEqual(expected);
    const readable = all().filter(
      ({ method, name }) => method === 'get' && isOwners(name) && !name.includes(':'),
    );
    expect(readable.length).toBeGreaterThan(7);
    for (const { name } of readable) {
      expect([name, (await suspended.get(name)).status]).toEqual([name, 200]);
    }
    expect((await suspended.get('/session')).data).toMatchObject({
      account: { status: 'suspended', suspension_reason: 'unpaid' },
    });
    expect((await openBrowser(api).post('/sign-in', suspended)).status).toBe(200);
  });

  test('every route of the dashboard that changes something is 403 from another site, with any session', async () => {
    const changing = all().filter(({ method }) => method === 'post');
    expect(changing.length).toBeGreaterThan(20);
    for (const { name } of changing) {
      const who = isOperators(name) ? operator : owner;
      const { status, error } = await who.post(anyId(name), {}, { origin: 'https://evil.example' });
      expect({ name, status, code: error?.code }).toEqual({ name, status: 403, code: 'FORBIDDEN' });
    }
  });
});

describe('every route that reads fields', () => {
  /** An image of the playground sets no limit, as `/v1/generate` does not; an upload is no JSON. */
  const OTHERS = ['/generate', '/files'];
  /** The change of these stands in the path alone. */
  const WITHOUT_FIELDS =
    /\/(end-others|endpoints\/:id\/test|delete|revoke|cancel|resend|resume|requeue|reset-password|secret\/rotate|ledger\/check)$/;

  test('every route that reads fields refuses one that it does not have by its name, but for those of strangers and images', async () => {
    const reading = all().filter(
      ({ method, name }) =>
        method === 'post' && ![...OPEN, ...OTHERS].includes(name) && !WITHOUT_FIELDS.test(name),
    );
    expect(reading.length).toBeGreaterThan(20);
    const seen: unknown[] = [];
    for (const { name } of reading) {
      const who = isOperators(name) ? operator : owner;
      const { status, error } = await who.post(anyId(name), { ...BODIES[name], cap_dya: '0.10' });
      seen.push({ name, status, code: error?.code, message: error?.message });
    }
    const message = 'cap_dya is not a field of this request.';
    expect(seen).toEqual(
      reading.map(({ name }) => ({ name, status: 400, code: 'VALIDATION_ERROR', message })),
    );
  });
});

describe('every route that names a resource', () => {
  /** Puts what belongs to `owner` into a path; a place that nobody knows is a route that was forgotten here. */
  const ofOwner = (name: string): string =>
    name.replace(/\/\w+\/:\w+/g, (place) => {
      const id = owned[place];
      if (id === undefined) {
        throw new Error(`${name}: say in this test what stands at ${place}`);
      }
      return place.replace(/:\w+/, id);
    });

  test('every route that names a resource is 404 for the owner of another account', async () => {
    const named = all().filter(({ name }) => isOwners(name) && name.includes(':'));
    expect(named.length).toBeGreaterThanOrEqual(4);
    const { seen, expected } = await each(named, ofOwner, stranger, [404, 'NOT_FOUND']);
    expect(seen).toEqual(expected);
  });

  test('every route that names a resource is 404 for operators when there is no such thing, or it belongs to another account', async () => {
    const named = all().filter(({ name }) => isOperators(name) && name.includes(':'));
    expect(named.length).toBeGreaterThan(8);
    const foreignUser = (name: string): string =>
      /:user|:key/.test(name)
        ? ofOwner(name.replace(':id', stranger.accountId))
        : name.replace(/:id/, `x_${'0'.repeat(22)}`);
    const { seen, expected } = await each(named, foreignUser, operator, [404, 'NOT_FOUND']);
    expect(seen).toEqual(expected);
  });
});
