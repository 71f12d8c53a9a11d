import type { EditedRoutesView, ModelsView } from '@image-gateway/shared/catalog/schema';
import { buildPng, createTestTask } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { finishTask } from '../support/finish-task.js';
import type { TestApi } from '../support/start-api.js';
import type { Browser, PageAnswer } from './support/browser.js';
import { newOwner, type Owner, type Person, startWithPeople, toAccount } from './support/people.js';

let api: TestApi;
let owner: Owner;
let operator: Person;
const seen = new Set<string>();
/** Routes of mailed links, which `mailed-links.test.ts` and `new-address.test.ts` request: this API sends no mail. */
const MAILED = [
  'post /password/forgot',
  'post /password/reset',
  'post /sign-up/confirm',
  'post /email',
  'post /email/confirm',
];
/** Routes that `managed-providers.test.ts` requests: they need a worker that tries the key. */
const TRIED = [
  'post /operator/models/providers/:name/key',
  'post /operator/models/providers/:name/key/remove',
];

beforeAll(async () => {
  const env = { ALLOW_SIGNUP: 'true', OUTBOUND_ALLOW: '127.0.0.1:9' };
  ({ api, operator, owner } = await startWithPeople(env));
});
afterAll(() => api.stop());

/** Sends a request, checks the status and the media type of the response, and notes the route. */
async function check(
  route: string,
  status: number,
  sending: Promise<PageAnswer>,
  wanted?: string,
): Promise<PageAnswer> {
  const response = await sending;
  const type = response.headers.get('content-type')?.split(';')[0];
  const extension = /\.(\w+)$/.exec(route)?.[1] ?? 'json';
  const expected =
    wanted ?? { csv: 'text/csv', ndjson: 'application/x-ndjson', json: 'application/json' }[extension];
  expect([route, response.status, type]).toEqual([route, status, expected]);
  if (status < 400) {
    seen.add(route);
  }
  return response;
}

/** Sends requests as a person, by the path of the route and the values of its parameters. */
const asks = (who: Browser) => ({
  get: (template: string, params: Readonly<Record<string, string>> = {}, status = 200, type?: string) =>
    check(`get ${template}`, status, who.get(fill(template, params)), type),
  post: (template: string, body?: unknown, params: Readonly<Record<string, string>> = {}, status = 200) =>
    check(`post ${template}`, status, who.post(fill(template, params), body)),
});
const fill = (template: string, params: Readonly<Record<string, string>>): string =>
  template.replace(/:(\w+)/g, (_all, name: string) => params[name] ?? '');

describe('every route of the dashboard responds', () => {
  let taskId: string;

  test('every route of the dashboard responds with success to its owner', async () => {
    const mine = asks(owner);
    const key = (await mine.post('/keys', { name: 'x' })).data;
    const fresh = (await mine.post('/keys/:id/rotate', { grace_hours: 1 }, { id: String(key.id) })).data;
    await mine.post('/keys/:id/limits', { cap_day: '1.00' }, { id: String(fresh.id) });
    await mine.get('/keys');
    await api.store.ensureBucket();
    const png = new Blob([new Uint8Array(buildPng({ width: 8, height: 8, depth: 8, colour: 'rgb' }))], {
      type: 'image/png',
    });
    const file = (await mine.post('/files', png)).data;
    await mine.get('/files');
    await mine.get('/files/:id', { id: String(file.id) }, 200, 'image/png');
    const receiver = { url: 'https://hooks.example/', types: ['account.balance_low'], threshold: '1.00' };
    const endpoint = (await mine.post('/endpoints', receiver)).data;
    await mine.get('/endpoints');
    await mine.get('/endpoints/events');
    await mine.post('/endpoints/:id/test', undefined, { id: String(endpoint.id) });
    await mine.post('/endpoints/:id/delete', undefined, { id: String(endpoint.id) });
    const shown = buildPng({ width: 8, height: 8, depth: 8, colour: 'rgba' }).toString('base64');
    const edit = { image_urls: [String(file.id)], mask: `data:image/png;base64,${shown}` };
    const run = (await mine.post('/generate', { model: 'nanobanana', prompt: 'x', ...edit }, {}, 202)).data;
    await mine.get('/tasks/:id/mask', { id: String(run.id) }, 200, 'application/octet-stream');
    await mine.post('/files/delete', { ids: [String(file.id)] });
    const account = toAccount(owner, String(fresh.id));
    const request = { webhook_url: 'https://hooks.example/' };
    taskId = (await finishTask(api, account, { request, images: [Buffer.from('a'), Buffer.from('b')] })).id;
    const failed = await finishTask(api, account, { images: [] });
    await mine.post('/keys/:id/revoke', undefined, { id: String(fresh.id) });
    for (const id of [taskId, failed.id]) {
      await mine.get('/tasks/:id', { id });
    }
    for (const path of [
      '/overview',
      '/playground',
      '/runs',
      '/tasks',
      '/usage',
      '/used-models',
      '/statement',
      '/statement.csv',
      '/usage.csv',
      '/usage.ndjson',
      '/images',
      '/webhooks',
    ]) {
      await mine.get(path);
    }
    const { items } = (await mine.get('/webhooks')).data as { items: { id: string }[] };
    await api.test.pool.query("UPDATE webhook_deliveries SET state = 'failed', next_attempt_at = NULL");
    await mine.post('/webhooks/:id/resend', undefined, { id: items[0]?.id ?? '' });
    await mine.post('/webhooks/secret/rotate');
    await mine.get('/webhooks/secret');
    const event = (await mine.post('/webhooks/test', { url: 'https://hooks.example/' })).data;
    await mine.get('/webhooks/tests');
    await mine.get('/webhooks/tests/:id', { id: String(event.id) });
    const open = await createTestTask(api.test.db, account);
    await mine.post('/tasks/:id/cancel', undefined, { id: open.id });
    await mine.post('/tasks/:id/delete', undefined, { id: open.id });
  });

  test('every route of the dashboard responds with success to an operator', async () => {
    const theirs = asks(operator);
    const id = owner.accountId;
    for (const path of [
      'system',
      'settings',
      'status',
      'accounts',
      'tasks',
      'providers',
      'queues',
      'hints',
      'needs',
      'audit',
      'task-log',
      'search',
    ]) {
      await theirs.get(`/operator/${path}`);
    }
    const receiver = { url: 'https://hooks.example/', types: ['account.credit_requested'] };
    const endpoint = (await theirs.post('/operator/endpoints', receiver)).data;
    await theirs.get('/operator/endpoints');
    await asks(owner).post('/credit-requests', { amount: '5', note: 'more' });
    await theirs.get('/operator/credit-requests');
    const [event] = (await theirs.get('/operator/events')).data as unknown as { id: string }[];
    await api.test.pool.query("UPDATE endpoint_deliveries SET state = 'failed', next_attempt_at = NULL");
    await theirs.post('/operator/events/:id/resend', undefined, { id: event?.id ?? '' });
    await theirs.post('/operator/endpoints/:id/test', undefined, { id: String(endpoint.id) });
    await theirs.post('/operator/endpoints/:id/delete', undefined, { id: String(endpoint.id) });
    const { users } = (await theirs.get('/operator/accounts/:id', { id })).data as {
      users: { id: string }[];
    };
    const money = { amount: '1.00', reason: 'x' };
    await theirs.post('/operator/accounts/:id/credit', money, { id });
    await theirs.post('/operator/accounts/:id/adjust', money, { id });
    const limits = { max_open_tasks: 5, requests: null, failed: '9/3600' };
    await theirs.post('/operator/accounts/:id/limits', limits, { id });
    await theirs.get('/operator/audit.csv');
    const [key, other] = [await owner.post('/keys', {}), await owner.post('/keys', {})];
    await theirs.get('/operator/accounts/:id/movements', { id });
    await theirs.get('/operator/accounts/:id/movements.csv', { id });
    await theirs.get('/operator/accounts/:id/keys', { id });
    const wanted = { email: 'customer@example.com', log_in: true };
    await theirs.post('/operator/accounts', wanted);
    await theirs.post('/operator/accounts/:id/keys', { name: 'x' }, { id });
    const ofKey = (answer: typeof key) => ({ id, key: String(answer.data.id) });
    await theirs.post('/operator/accounts/:id/keys/:key/limits', { cap_day: '1' }, ofKey(key));
    await theirs.post('/operator/accounts/:id/keys/:key/rotate', { grace_hours: 1 }, ofKey(key));
    await theirs.post('/operator/accounts/:id/keys/:key/revoke', undefined, ofKey(other));
    await theirs.post('/operator/accounts/:id/suspend', { reason: 'x' }, { id });
    await theirs.post('/operator/accounts/:id/resume', undefined, { id });
    await theirs.get('/operator/tasks/:id', { id: taskId });
    await theirs.post('/operator/tasks/:id/refund', { reason: 'x' }, { id: taskId });
    const account = toAccount({ accountId: id });
    const open = await createTestTask(api.test.db, account);
    await theirs.post('/operator/tasks/:id/requeue', undefined, { id: open.id });
    await theirs.post('/operator/tasks/:id/cancel', undefined, { id: open.id });
    const failed = await createTestTask(api.test.db, account);
    await theirs.post('/operator/tasks/:id/fail', { reason: 'x' }, { id: failed.id });
    await theirs.get('/operator/operators');
    const { password } = operator;
    const second = (await theirs.post('/operator/operators', { email: 'op2@example.com', password })).data;
    await theirs.post('/operator/operators/:id/remove', { password }, { id: String(second.id) });
    await theirs.post('/operator/ledger/check');
    const credentials = { email: 'second@example.com', password: 'correct horse 9' };
    await theirs.post('/operator/accounts/:id/set-password', credentials, { id });
    const user = users[0]?.id ?? '';
    await theirs.post('/operator/accounts/:id/users/:user/reset-password', undefined, { id, user });
    const moved = { email: 'moved@example.com' };
    await theirs.post('/operator/accounts/:id/users/:user/email', moved, { id, user });
  });

  test('every route of the dashboard responds with success to an operator who changes models', async () => {
    const theirs = asks(operator);
    const { version, source } = (await theirs.get('/operator/models')).data as unknown as ModelsView;
    await theirs.get('/operator/models/margins');
    await theirs.get('/operator/models/versions/:version', { version: String(version) });
    await theirs.post('/operator/models/check', { source });
    const models = [{ id: 'nanobanana', enabled: true, price: { '1k': '0.05', '2k': '0.06', '4k': '0.07' } }];
    await theirs.post('/operator/models/prices/check', { models });
    await theirs.post('/operator/models/prices', { from: version, models });
    await theirs.post('/operator/models/apply', { from: version + 1, source });
    await theirs.post('/operator/models/rollback', { from: version + 2, to: version + 1 });
    const [ofModel, edited] = ['/operator/models/routes/:id', { id: 'nanobanana' }];
    const shown = (await theirs.get(ofModel, edited)).data as unknown as EditedRoutesView;
    const body = {
      from: shown.version,
      routes: shown.routes.slice(0, 1).map(({ other: _, ...route }) => route),
    };
    await theirs.post(`${ofModel}/check`, body, edited);
    await theirs.post(ofModel, body, edited);
    const shapes = { aspect_ratios: ['1:1'], max_inputs: null, image_field: null, is_fixed: true };
    const amounts = { price: { '1k': '0.02' }, cost: { '1k': '0.01' } };
    const draft = { id: 'new', name: 'New', provider: 'fal', model: 'fal/new', types: ['image_generate'] };
    await theirs.post('/operator/models/draft', { ...draft, ...shapes, ...amounts });
    const name = { name: 'fal' };
    await theirs.get('/operator/models/providers');
    await theirs.post('/operator/models/providers/:name/limit', { cost_day: '5.00' }, name);
    await theirs.post('/operator/models/providers/:name/pause', { hours: 1 }, name);
    await theirs.post('/operator/models/providers/:name/resume', undefined, name);
    const check = (await theirs.post('/operator/models/providers/:name/check', {}, name)).data;
    await theirs.get('/operator/models/provider-checks/:id', { id: String(check.id) });
  });

  test('every route of the dashboard responds to users of either kind, and with an error without the right session or resource', async () => {
    const user = asks(await newOwner(api));
    for (const path of ['/session', '/sessions']) {
      await user.get(path);
    }
    await user.post('/sessions/end-others');
    const credentials = { email: 'new@example.com', password: 'correct horse 9' };
    await user.post('/sign-up', credentials);
    await user.post('/sign-in', credentials);
    await user.post('/password', { current: credentials.password, next: 'another horse 9' });
    await user.post('/sign-out');
    await user.get('/session');
    await user.post('/sign-in', { ...credentials, password: 'another horse 9' });
    await user.post('/sign-in', {}, {}, 400);
    await user.post('/sign-in', credentials, {}, 401);
    await user.get('/operator/system', {}, 403);
    await user.get('/tasks/:id', { id: taskId }, 404);
  });

  test('every route of the dashboard responds and each of them was requested with success', () => {
    const routes = api.routes
      .filter(({ path }) => path.startsWith('/dashboard/api/'))
      .map(({ method, path }) => `${method} ${path.slice('/dashboard/api'.length)}`);
    expect([...seen, ...MAILED, ...TRIED].sort()).toEqual(routes.sort());
  });
});
