import type { TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { finishTask } from './support/finish-task.js';
import { type CallOptions, startApi, type TestApi } from './support/start-api.js';

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
  document = JSON.parse((await api.call('/v1/openapi.json')).text) as Document;
  ajv.addSchema(document, 'doc');
});
afterAll(() => api.stop());

/** Calls, and holds the answer against the document: its status, its schema and its headers. */
async function checked(template: string, path: string, options: CallOptions = {}): Promise<number> {
  const method = options.method ?? (options.body === undefined ? 'GET' : 'POST');
  const answer = await api.call(path, options);
  const named = document.paths[template]?.[method.toLowerCase()]?.responses[String(answer.status)];
  const name = named?.$ref?.split('/').at(-1);
  const response = name === undefined ? named : document.components.responses[name];
  const schema = response?.content?.['application/json']?.schema;
  expect([method, path, answer.status, schema]).toEqual([method, path, answer.status, expect.anything()]);
  const validate = ajv.compile({ ...schema, components: document.components });
  expect([path, validate(answer.json), ajv.errorsText(validate.errors)]).toEqual([path, true, 'No errors']);
  return answer.status;
}

describe('answers are what the document says', () => {
  test('of tasks in every status', async () => {
    const body = { model: 'nanobanana', prompt: 'x' };
    expect(await checked('/v1/generate', '/v1/generate', { as: account, body })).toBe(202);
    const open = await finishTask(api, account, { settle: false });
    const done = await finishTask(api, account, { pictures: [Buffer.from('a'), Buffer.from('b')] });
    const failed = await finishTask(api, account, { pictures: [] });
    for (const { id } of [open, done, failed])
      expect(await checked('/v1/tasks/{id}', `/v1/tasks/${id}`, { as: account })).toBe(200);
    expect(await checked('/v1/tasks', '/v1/tasks', { as: account })).toBe(200);
    expect(await checked('/v1/usage', '/v1/usage', { as: account })).toBe(200);
    expect(await checked('/v1/usage/summary', '/v1/usage/summary', { as: account })).toBe(200);
  });

  test('of errors', async () => {
    const poor = await api.account({ balanceMicros: 0n });
    const body = { model: 'nanobanana', prompt: 'x' };
    const generate = (options: CallOptions) => checked('/v1/generate', '/v1/generate', options);
    expect(await generate({ as: poor, body })).toBe(403);
    expect(await generate({ as: account, body: {} })).toBe(400);
    expect(await generate({ as: account, body: '{' })).toBe(400);
    expect(await generate({ body })).toBe(401);
    expect(await checked('/v1/tasks/{id}', '/v1/tasks/gen_x', { as: account })).toBe(404);
    expect(await checked('/v1/tasks', '/v1/tasks?page=0', { as: account })).toBe(400);
    expect(await checked('/files/images/{task_id}/{name}', '/files/images/gen_x/0.png')).toBe(404);
  });

  test('of health', async () => {
    expect(await checked('/healthz', '/healthz')).toBe(200);
    expect(await checked('/readyz', '/readyz')).toBe(200);
  });
});

describe('the page at /docs', () => {
  test('loads nothing from elsewhere and runs no inline script', async () => {
    const { headers, text } = await api.call('/docs');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("script-src 'self'");
    expect(policy.replace(/style-src[^;]*/, '')).not.toContain('unsafe');
    expect(text).not.toMatch(/https?:|<script>|\son\w+=/);
    const links = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link);
    expect(links).toHaveLength(4);
    for (const link of links) expect([link, (await api.call(`/${link}`)).status]).toEqual([link, 200]);
  });
});
