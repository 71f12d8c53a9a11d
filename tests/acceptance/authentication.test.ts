import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from './support/client.js';
import { eventually } from './support/eventually.js';
import { expectError } from './support/expect-error.js';
import { newKey } from './support/product/accounts.js';
import { query } from './support/product/database.js';
import { mustGateway } from './support/product/gateway.js';
import { type Customer, openSharedScene, type Scene } from './support/scene.js';

const missing = 'Missing Authorization header';
const format = /Bearer <token>/;

let scene: Scene;
let customer: Customer;
const addresses = Array.from({ length: 250 }, (_, i) => `203.0.113.${i + 1}`);

// Failed log-ins are limited by address, so each test comes from one of its own, through the trusted proxy.
const caller = (key: string | null = null): Client => scene.caller(key, addresses.pop());
const withHeader = (authorization: string, client = caller()) =>
  client.call('GET', '/v1/tasks', { headers: { authorization } });

beforeAll(async () => {
  scene = await openSharedScene();
  customer = await scene.customer();
}, 700_000);
afterAll(() => scene.audit());

describe('the Authorization header', () => {
  test.each([
    ['POST', '/v1/generate'],
    ['GET', '/v1/tasks'],
    ['GET', '/v1/tasks/gen_0000000000000000000000'],
    ['GET', '/v1/usage'],
    ['GET', '/v1/usage/summary'],
  ])('the Authorization header is demanded by %s %s with the exact message', async (method, target) => {
    expect(expectError(await caller().call(method, target), 401, 'UNAUTHORIZED')).toBe(missing);
  });

  test.each(['', 'Basic dXNlcjpwYXNz', 'Bearer', 'Bearer ', 'Token abc', 'Bearer a b', 'Bearer,abc', 'abc'])(
    '%j is answered with the expected format',
    async (header) => {
      expect(expectError(await withHeader(header), 401, 'UNAUTHORIZED')).toMatch(format);
    },
  );

  test('the Authorization header with a key that is malformed, mistyped or unknown is UNAUTHORIZED', async () => {
    const client = caller();
    const last = customer.key.at(-1) === 'a' ? 'b' : 'a';
    const keys = [
      'x',
      `${customer.key.slice(0, -1)}${last}`,
      customer.key.toUpperCase(),
      `${customer.key}x`,
      '"',
      '../',
    ];
    for (const key of keys) {
      expectError(await withHeader(`Bearer ${key}`, client), 401, 'UNAUTHORIZED');
    }
  });

  test('the Authorization header is the only place for a key: not the query, not the body, not a cookie, not another header', async () => {
    const client = caller();
    const { key } = customer;
    const elsewhere = await Promise.all([
      client.call('GET', `/v1/tasks?api_key=${key}&access_token=${key}&key=${key}`),
      client.call('GET', '/v1/tasks', { headers: { cookie: `token=${key}; session=${key}` } }),
      client.call('GET', '/v1/tasks', { headers: { 'x-api-key': key } }),
      client.call('POST', '/v1/generate', { json: { model: 'nanobanana', prompt: 'x', api_key: key } }),
    ]);
    for (const answer of elsewhere) {
      expect(expectError(answer, 401, 'UNAUTHORIZED')).toBe(missing);
    }
  });
});

test('within 5 s a key that was revoked or has expired is 401 like an unknown one, and a suspended account is 403; its task still ends, and it comes back when resumed', async () => {
  const [revoked, expired, suspended] = await Promise.all([
    newKey(scene.product, customer.id),
    newKey(scene.product, customer.id),
    scene.customer(),
  ]);
  const list = (key: string) => caller(key).call('GET', '/v1/tasks');
  for (const { key } of [revoked, expired, suspended]) {
    expect((await list(key)).status).toBe(200);
  }
  const { data } = await suspended.client.generate({ prompt: 'sandbox:fixed sandbox:delay=3000' });
  await Promise.all([
    mustGateway(scene.product, 'key', 'revoke', revoked.id),
    query(scene.product, 'UPDATE api_keys SET expires_at = now() WHERE id = $1', [expired.id]),
    mustGateway(scene.product, 'account', 'suspend', suspended.id),
  ]);
  const refused = async () => {
    const answers = await Promise.all([revoked, expired].map(({ key }) => list(key)));
    answers.forEach((answer) => void expectError(answer, 401, 'UNAUTHORIZED'));
    expectError(await suspended.client.call('GET', '/v1/tasks'), 403, 'FORBIDDEN');
    return answers;
  };
  const answers = await eventually(refused, { withinMs: 5_000, everyMs: 200 });
  const unknown = await withHeader(`Bearer ${revoked.key.slice(0, -2)}zz`);
  for (const { body } of answers) {
    expect(body.toString()).toBe(unknown.body.toString());
  }
  expectError(await suspended.client.generate({ prompt: 'sandbox:fixed' }), 403, 'FORBIDDEN');
  expect((await list(customer.key)).status).toBe(200);
  await mustGateway(scene.product, 'account', 'resume', suspended.id);
  await eventually(async () => expect((await list(suspended.key)).status).toBe(200), { withinMs: 6_000 });
  expect((await suspended.client.finished(data.id)).status).toBe('completed');
});

describe('unknown places', () => {
  test.each(['/v1', '/v1/', '/v1/nothing', '/v1/tasks/a/b', '/v1/generate/x'])(
    'under /v1 need a key first: %s is 401 without and 404 with one',
    async (target) => {
      expect(expectError(await caller().call('GET', target), 401, 'UNAUTHORIZED')).toBe(missing);
      expectError(await customer.client.call('GET', target), 404, 'NOT_FOUND');
    },
  );

  test.each(['/nothing', '/v2/tasks', '/v1x', '/files', '/files/images', '/.env'])(
    'outside /v1 are 404: %s',
    async (target) => {
      expectError(await caller().call('GET', target), 404, 'NOT_FOUND');
    },
  );

  test.each([
    ['GET', '/v1/generate'],
    ['PUT', '/v1/generate'],
    ['OPTIONS', '/v1/generate'],
    ['POST', '/v1/tasks'],
    ['DELETE', '/v1/tasks'],
    ['PATCH', '/v1/usage'],
    ['POST', '/v1/usage/summary'],
  ])('a known route with another method is one of them: %s %s', async (method, target) => {
    expectError(await customer.client.call(method, target), 404, 'NOT_FOUND');
    expectError(await caller().call(method, target), 401, 'UNAUTHORIZED');
  });
});
