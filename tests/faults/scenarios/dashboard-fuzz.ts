import { readFileSync } from 'node:fs';
import path from 'node:path';
import { newId } from '@image-gateway/shared/ids';
import { createTestAccount, repositoryRoot, type TestDatabase } from '@image-gateway/testing';
import { callHttp } from '../load/http-client.js';
import type { Random } from '../random.js';
import type { Scenario } from './scenario.js';

const PASSWORD = 'correct horse 9 battery';
/** Hash of the password as the product stores it. */
const HASH =
  '00112233445566778899aabbccddeeff:066c0fb4b9c72281bc170dee46d8ee6e4e6e6a4fa370dcef27464dfe64f101a665440d0444fe2c2674ac931d8c92b866d0ebb59987ee1fc2ab1634c9c046fda9';
const API = '/dashboard/api';
const REQUESTS = 3_000;
const CONCURRENCY = 6;
/** Routes that read the whole ledger, or end the session of the run. */
const LEFT_OUT = [
  `post ${API}/operator/ledger/check`,
  `post ${API}/sessions/end-others`,
  `post ${API}/sign-out`,
];

/** Times of which some are none, at the ends of what the database and JavaScript write alike. */
export const TIMES = [
  '0000-01-01',
  '0001-01-01',
  '0001-01-20',
  '9999-12-31',
  '0001-01-01T00:00:00%2B01:00',
  '9999-12-31T23:59:59-23:59',
  '9999-12-31T12:00:00Z',
  '%2B010000-01-01T00:00:00Z',
  '2026-02-30',
  '2026-01-31t00:00:00z',
  '2026',
  'x',
];
const TEXTS = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udc00b',
  '\u202e',
  '🦊',
  '%',
  '_',
  "' OR 1=1 --",
  'x'.repeat(500),
];
const VALUES = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  '2',
  [],
  {},
  ...TEXTS,
  '+010000-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.000Z',
  '9999-12-31T23:59:59-05:00',
  '0000-01-01T00:00:00Z',
  ['\u0000'],
  ['\ud800'],
  { models: ['\u0000'] },
  { cap_day: '1e5' },
  '9'.repeat(30),
  '999999999999.999999',
  '-0.000001',
];
const QUERY = [
  'page',
  'per_page',
  'q',
  'subject',
  'by',
  'before',
  'model',
  'type',
  'status',
  'state',
  'from',
  'to',
  'group_by',
  'api_key_id',
  'created_after',
  'created_before',
  'stuck',
  'hours',
  'span',
  'include',
];
const QUERY_VALUES = [
  ...TIMES,
  '%00',
  'a%00b',
  '%ED%A0%80',
  '',
  '0',
  '-1',
  '101',
  '1e18',
  '99999999999999999999',
  'day',
  'hour,day',
];

/** Bodies that are nearly right, by their routes, so that what is changed in them is judged. No one succeeds in changing the catalog. */
const BODIES: Readonly<Record<string, object>> = {
  '/sign-in': { email: 'nobody@example.com', password: PASSWORD },
  '/sign-up': { email: 'nobody@example.com', password: PASSWORD },
  '/password': { current: 'wrong one', next: PASSWORD },
  '/keys': { name: 'fuzzed', expires_at: null, limits: {} },
  '/keys/:id/limits': { models: [], scopes: ['generate'], allowed_cidrs: ['::/0'], cap_day: '5.00' },
  '/keys/:id/rotate': { grace_hours: 0 },
  '/generate': { model: 'nanobanana', prompt: 'sandbox:fixed' },
  '/webhooks/test': { url: 'http://192.0.2.1/' },
  '/operator/accounts/:id/credit': { amount: '0.01', reason: 'fuzzed', reference: 'fuzzed' },
  '/operator/accounts/:id/adjust': { amount: '0.01', reason: 'fuzzed', reference: 'fuzzed-too' },
  '/operator/accounts/:id/limits': { max_open_tasks: 5, requests: null },
  '/operator/accounts/:id/set-password': { email: 'fuzzed@example.com', password: PASSWORD },
  '/operator/tasks/:id/fail': { reason: 'fuzzed' },
  '/operator/tasks/:id/refund': { reason: 'fuzzed' },
  '/operator/models/check': { source: 'models: {}' },
  '/operator/models/apply': { from: 2 ** 31 - 1, source: 'models: {}', note: 'fuzzed' },
  '/operator/models/prices': {
    from: 2 ** 31 - 1,
    models: [{ id: 'nanobanana', enabled: true, price: { '1k': '0.0100' } }],
  },
  '/operator/models/rollback': { from: 2 ** 31 - 1, to: 1 },
};

interface Place {
  readonly method: string;
  /** Path after `/dashboard/api`, with the names of its ids. */
  readonly name: string;
}

/** Reads the routes that the product serves from the recorded list, so that a new one is fuzzed too. */
function readPlaces(): readonly Place[] {
  const file = path.join(repositoryRoot(), 'apps/api/test/interface/recorded/routes.txt');
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.includes(` ${API}/`) && !LEFT_OUT.includes(line))
    .map((line) => {
      const [method = '', route = ''] = line.split(' ');
      return { method: method.toUpperCase(), name: route.slice(API.length) };
    });
}

/** Makes a user with the password; an owner owns the account. */
export async function insertUser({ pool }: TestDatabase, accountId: string | null): Promise<string> {
  const id = newId('usr');
  const email = `${id.toLowerCase()}@example.com`;
  await pool.query(
    `WITH made AS (INSERT INTO auth_users (id, name, email, role) VALUES ($1, 'fuzz', $2, $3) RETURNING id),
     owned AS (INSERT INTO account_users (account_id, user_id) SELECT $5, id FROM made WHERE $5::text IS NOT NULL)
     INSERT INTO auth_accounts (id, account_id, provider_id, user_id, password) SELECT $1, $1, 'credential', $1, $4`,
    [id, email, accountId === null ? 'operator' : 'owner', HASH, accountId],
  );
  return email;
}

/** Logs such a user in; returns the cookies. */
export async function signIn(url: string, email: string): Promise<string> {
  const headers = { origin: url, 'content-type': 'application/json' };
  const body = JSON.stringify({ email, password: PASSWORD });
  const answer = await callHttp({ url: `${url}${API}/sign-in`, method: 'POST', headers, body });
  if (answer.status !== 200) {
    throw new Error(`could not sign in: ${answer.status} ${answer.body.toString()}`);
  }
  return (answer.headers['set-cookie'] ?? []).map((one) => one.split(';')[0]).join('; ');
}

function mutate(random: Random, base: object): string {
  const body: Record<string, unknown> = { ...base };
  for (let n = random.int(0, 2); n > 0; n -= 1) {
    body[random.pick([...Object.keys(body), 'expires_at', 'unknown'])] = random.pick<unknown>(VALUES);
  }
  return JSON.stringify(body);
}

/** Generated requests at every route of the dashboard, by an owner and an operator who have signed in. */
export const dashboardFuzz: Scenario = {
  name: 'dashboard-fuzzed',
  fault: 'generated ids, queries and bodies at every route of the dashboard, by an owner and an operator',
  outcome: 'no answer of 500, and every list can still be read; the API lives on',
  mayRefuse: [400],
  run: async (scene) => {
    const { fleet, services } = scene.lab;
    const { database } = services;
    const { random } = scene;
    const [url = ''] = fleet.apiUrls;
    const deaths = (): number => fleet.process('api-1').deaths() + fleet.process('api-2').deaths();
    const before = deaths();
    const [own, victim] = [
      await createTestAccount(database, { balanceMicros: 0n }),
      await createTestAccount(database, { balanceMicros: 0n }),
    ];
    const owner = await signIn(url, await insertUser(database, own.id));
    const operator = await signIn(url, await insertUser(database, null));
    const places = readPlaces();
    scene.must(places.length > 50, `only ${places.length} routes of the dashboard are known`);
    const found = new Map<string, string>();
    let busy = 0;

    const ask = async ({ method, name }: Place, isList = false): Promise<void> => {
      const isOperators = name.startsWith('/operator/');
      const known = isOperators ? victim.id : own.apiKeyId;
      const ids = [
        known,
        `gen_${'a'.repeat(22)}`,
        '%00',
        'a%00b',
        '%F0%9F%A6%8A',
        '..%2f',
        "'",
        'x'.repeat(500),
      ];
      const target = name.replace(/:\w+/g, () => random.pick(ids));
      const query = Array.from(
        { length: isList || method !== 'GET' ? 0 : random.int(0, 2) },
        () => `${random.pick(QUERY)}=${random.pick(QUERY_VALUES)}`,
      );
      const base = BODIES[name];
      const body = method === 'POST' && base ? mutate(random, base) : undefined;
      const answer = await callHttp({
        url: `${url}${API}${target}${query.length > 0 ? `?${query.join('&')}` : ''}`,
        method,
        headers: {
          origin: url,
          cookie: isOperators ? operator : owner,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body }),
      });
      busy += answer.status === 503 ? 1 : 0;
      const isBad = isList ? answer.status !== 200 : answer.status >= 500 && answer.status !== 503;
      if (isBad) {
        found.set(
          `${method} ${name} answers ${answer.status}`,
          `${target}${query.length > 0 ? `?${query.join('&')}` : ''} ${body?.slice(0, 120) ?? ''}`,
        );
      }
    };
    let sent = 0;
    await Promise.all(
      Array.from({ length: CONCURRENCY }, async () => {
        for (; sent < REQUESTS; sent += 1) {
          await ask(random.pick(places));
        }
      }),
    );
    for (const name of [
      '/keys',
      '/sessions',
      '/usage',
      '/webhooks',
      '/images',
      '/operator/accounts',
      '/operator/audit',
    ]) {
      await ask({ method: 'GET', name }, true);
    }
    scene.figure('requests', sent);
    scene.figure('answered 503', busy);
    scene.injected();
    for (const [what, example] of found) {
      scene.must(false, `${what}: ${example}`);
    }
    scene.must(deaths() === before, 'an API died');
    await scene.submitOne({ prompt: 'sandbox:fixed' });
  },
};
