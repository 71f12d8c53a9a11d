import { readFile } from 'node:fs/promises';
import { createTestTask } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { finishTask } from '../support/finish-task.js';
import { startApi, type TestApi } from '../support/start-api.js';
import type { Browser, PageAnswer } from './support/browser.js';
import { generateTypes, TYPES_FILE } from './support/generate-types.js';
import { newOperator, newOwner, type Owner, type Person } from './support/people.js';

interface Named {
  readonly $ref?: string;
  readonly content?: Record<string, { readonly schema: object }>;
}
interface Operation {
  readonly responses: Record<string, Named>;
}
interface Document {
  readonly paths: Record<string, Partial<Record<'get' | 'post', Operation>>>;
  readonly components: { readonly responses: Record<string, Named> };
}

let api: TestApi;
let owner: Owner;
let operator: Person;
let document: Document;
const seen = new Set<string>();
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);

beforeAll(async () => {
  api = await startApi({ AUTH_SECRET: 'x'.repeat(32), ALLOW_SIGNUP: 'true', OUTBOUND_ALLOW: '127.0.0.1:9' });
  [owner, operator] = await Promise.all([newOwner(api), newOperator(api)]);
  document = JSON.parse((await owner.get('/openapi.json')).text) as Document;
});
afterAll(() => api.stop());

/** Holds an answer against the document: its status and all of its fields. */
async function checked(
  method: 'get' | 'post',
  template: string,
  status: number,
  asking: Promise<PageAnswer>,
): Promise<PageAnswer> {
  const answer = await asking;
  const named = document.paths[template]?.[method]?.responses[String(status)];
  const response = named?.$ref ? document.components.responses[named.$ref.split('/').at(-1) ?? ''] : named;
  const [[type, media] = []] = Object.entries(response?.content ?? {});
  const call = `${method} ${template}`;
  expect([call, answer.status, type]).toEqual([
    call,
    status,
    answer.headers.get('content-type')?.split(';')[0],
  ]);
  if (type === 'application/json') {
    const validate = ajv.compile({
      ...strictly(media?.schema ?? {}),
      components: strictly(document.components),
    });
    const body: unknown = JSON.parse(answer.text);
    expect([call, validate(body), ajv.errorsText(validate.errors)]).toEqual([call, true, 'No errors']);
  }
  if (status < 400) seen.add(call);
  return answer;
}

/** An answer may hold no field that the document does not name, or the pages could not know it. */
function strictly<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(strictly) as T;
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.entries(schema).map(([key, value]) => [key, strictly<unknown>(value)]);
  const closed = 'properties' in schema && 'required' in schema && { additionalProperties: false };
  return { ...(Object.fromEntries(inner) as T), ...closed };
}

/** Asks as somebody, by the path that the document names and what stands in its braces. */
const asks = (who: Browser) => ({
  get: (template: string, params: Readonly<Record<string, string>> = {}, status = 200) =>
    checked('get', template, status, who.get(fill(template, params))),
  post: (template: string, body?: unknown, params: Readonly<Record<string, string>> = {}, status = 200) =>
    checked('post', template, status, who.post(fill(template, params), body)),
});
const fill = (template: string, params: Readonly<Record<string, string>>): string =>
  template.replace(/\{(\w+)\}/g, (_all, name: string) => params[name] ?? '');

describe('every answer is what the document says, field by field', () => {
  let taskId: string;

  test('to owners', async () => {
    const mine = asks(owner);
    await mine.get('/openapi.json');
    const key = (await mine.post('/keys', { name: 'x' })).data;
    const fresh = (await mine.post('/keys/{id}/rotate', { grace_hours: 1 }, { id: String(key.id) })).data;
    await mine.get('/keys');
    await mine.post('/generate', { model: 'nanobanana', prompt: 'x' }, {}, 202);
    const account = { id: owner.accountId, apiKeyId: String(fresh.id), apiKey: '', webhookSecret: '' };
    const request = { webhook_url: 'https://hooks.example/' };
    taskId = (await finishTask(api, account, { request, pictures: [Buffer.from('a'), Buffer.from('b')] })).id;
    const failed = await finishTask(api, account, { pictures: [] });
    await mine.post('/keys/{id}/revoke', undefined, { id: String(fresh.id) });
    for (const id of [taskId, failed.id]) await mine.get('/tasks/{id}', { id });
    for (const path of ['/overview', '/playground', '/tasks', '/usage', '/usage.csv', '/webhooks'])
      await mine.get(path);
    const { items } = (await mine.get('/webhooks')).data as { items: { id: string }[] };
    await api.test.pool.query("UPDATE webhook_deliveries SET state = 'failed', next_attempt_at = NULL");
    await mine.post('/webhooks/{id}/resend', undefined, { id: items[0]?.id ?? '' });
    await mine.post('/webhooks/secret/rotate');
    await mine.get('/webhooks/secret');
    await mine.post('/webhooks/test', { url: 'http://127.0.0.1:9/' });
  });

  test('to operators', async () => {
    const theirs = asks(operator);
    const id = owner.accountId;
    for (const path of ['system', 'accounts', 'tasks', 'providers', 'queues', 'hints', 'audit'])
      await theirs.get(`/operator/${path}`);
    const { users } = (await theirs.get('/operator/accounts/{id}', { id })).data as {
      users: { id: string }[];
    };
    const money = { amount: '1.00', reason: 'x' };
    await theirs.post('/operator/accounts/{id}/credit', money, { id });
    await theirs.post('/operator/accounts/{id}/adjust', money, { id });
    const limits = { max_open_tasks: 5, key_requests_per_minute: null, max_failed_tasks: 9 };
    await theirs.post('/operator/accounts/{id}/limits', limits, { id });
    await theirs.post('/operator/accounts/{id}/suspend', undefined, { id });
    await theirs.post('/operator/accounts/{id}/resume', undefined, { id });
    await theirs.get('/operator/tasks/{id}', { id: taskId });
    await theirs.post('/operator/tasks/{id}/refund', { reason: 'x' }, { id: taskId });
    const account = { id, apiKeyId: 'key_t', apiKey: '', webhookSecret: '' };
    const open = await createTestTask(api.test.db, account);
    await theirs.post('/operator/tasks/{id}/requeue', undefined, { id: open.id });
    await theirs.post('/operator/tasks/{id}/fail', { reason: 'x' }, { id: open.id });
    await theirs.post('/operator/ledger/check');
    const user = users[0]?.id ?? '';
    await theirs.post('/operator/accounts/{id}/users/{user}/reset-password', undefined, { id, user });
  });

  test('to everybody', async () => {
    const visitor = asks(await newOwner(api));
    for (const path of ['/session', '/sessions']) await visitor.get(path);
    await visitor.post('/sessions/end-others');
    const credentials = { email: 'new@example.com', password: 'correct horse 9' };
    await visitor.post('/sign-up', credentials);
    await visitor.post('/sign-in', credentials);
    await visitor.post('/password', { current: credentials.password, next: 'another horse 9' });
    await visitor.post('/sign-out');
    await visitor.get('/session');
    await visitor.post('/sign-in', { ...credentials, password: 'another horse 9' });
    await visitor.post('/sign-in', {}, {}, 400);
    await visitor.post('/sign-in', credentials, {}, 401);
    await visitor.get('/operator/system', {}, 403);
    await visitor.get('/tasks/{id}', { id: taskId }, 404);
  });

  test('and every route has been asked', () => {
    const routes = api.routes
      .filter(({ path }) => path.startsWith('/dashboard/api/'))
      .map(
        ({ method, path }) => `${method} ${path.slice('/dashboard/api'.length).replace(/:(\w+)/g, '{$1}')}`,
      );
    expect([...seen].sort()).toEqual(routes.sort());
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(documented.sort()).toEqual(routes);
  });
});

test('the types of handlers and pages are generated from this document: run pnpm dashboard:types after a change', async () => {
  expect(await generateTypes()).toBe(await readFile(TYPES_FILE, 'utf8'));
});
