import type { TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Test } from 'supertest';
import { finishTask } from './support/finish-task.js';
import { startApi, type TestApi } from './support/start-api.js';

interface ResponseObject {
  readonly $ref?: string;
  readonly content?: Record<string, { readonly schema: object }>;
}
interface Document {
  readonly paths: Record<string, Record<string, { readonly responses: Record<string, ResponseObject> }>>;
  readonly components: { readonly responses: Record<string, ResponseObject> };
}

let api: TestApi;
let account: TestAccount;
let document: Document;
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);

beforeAll(async () => {
  api = await startApi();
  account = await api.account();
  document = (await api.http.get('/v1/openapi.json').expect(200)).body as Document;
  ajv.addSchema(document, 'doc');
});
afterAll(() => api.stop());

const asOwner = (request: Test): Test => request.auth(account.apiKey, { type: 'bearer' });
const submit = (body: string | object): Test =>
  api.http.post('/v1/generate').set('content-type', 'application/json').send(body);

/** Calls, and holds the answer against the document: its status and its schema. */
async function checked(template: string, request: Test): Promise<number> {
  const { method } = request;
  const answer = await request;
  const named = document.paths[template]?.[method.toLowerCase()]?.responses[String(answer.status)];
  const name = named?.$ref?.split('/').at(-1);
  const response = name === undefined ? named : document.components.responses[name];
  const schema = response?.content?.['application/json']?.schema;
  const call = `${method} ${template}`;
  expect([call, answer.status, schema]).toEqual([call, answer.status, expect.anything()]);
  const validate = ajv.compile({ ...schema, components: document.components });
  expect([call, validate(answer.body), ajv.errorsText(validate.errors)]).toEqual([call, true, 'No errors']);
  return answer.status;
}

describe('answers are what the document says', () => {
  test('answers are what the document says of tasks in every status', async () => {
    const body = { model: 'nanobanana', prompt: 'x' };
    expect(await checked('/v1/generate', asOwner(submit(body)))).toBe(202);
    const open = await finishTask(api, account, { settle: false });
    const done = await finishTask(api, account, { images: [Buffer.from('a'), Buffer.from('b')] });
    const failed = await finishTask(api, account, { images: [] });
    for (const { id } of [open, done, failed]) {
      expect(await checked('/v1/tasks/{id}', asOwner(api.http.get(`/v1/tasks/${id}`)))).toBe(200);
    }
    const full = api.http.get(`/v1/tasks/${done.id}?view=full`);
    expect(await checked('/v1/tasks/{id}', asOwner(full))).toBe(200);
    for (const path of ['/v1/tasks', '/v1/usage', '/v1/usage/summary', '/v1/account']) {
      expect(await checked(path, asOwner(api.http.get(path)))).toBe(200);
    }
  });

  test('answers are what the document says of errors', async () => {
    const poor = await api.account({ balanceMicros: 0n });
    const body = { model: 'nanobanana', prompt: 'x' };
    const generate = (request: Test) => checked('/v1/generate', request);
    expect(await generate(submit(body).auth(poor.apiKey, { type: 'bearer' }))).toBe(403);
    expect(await generate(asOwner(submit({})))).toBe(400);
    expect(await generate(asOwner(submit('{')))).toBe(400);
    expect(await generate(submit(body))).toBe(401);
    expect(await checked('/v1/tasks/{id}', asOwner(api.http.get('/v1/tasks/gen_x')))).toBe(404);
    expect(await checked('/v1/tasks', asOwner(api.http.get('/v1/tasks?page=0')))).toBe(400);
    const image = api.http.get('/files/images/gen_x/0.png');
    expect(await checked('/files/images/{task_id}/{name}', image)).toBe(404);
  });

  test('answers are what the document says of health', async () => {
    for (const path of ['/healthz', '/readyz']) {
      expect(await checked(path, api.http.get(path))).toBe(200);
    }
  });
});

describe('the page at /docs', () => {
  test('the page at /docs loads nothing from elsewhere and runs no inline script', async () => {
    const { headers, text } = await api.http.get('/docs').expect(200);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("script-src 'self'");
    expect(policy.replace(/style-src[^;]*/, '')).not.toContain('unsafe');
    expect(text).not.toMatch(/https?:|<script>|\son\w+=/);
    const links = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link);
    expect(links).toHaveLength(4);
    for (const link of links) {
      await api.http.get(`/${link}`).expect(200);
    }
  });
});
