import { randomBytes } from 'node:crypto';
import { setSessionDefaults } from '@image-gateway/shared/db';
import { eventually, type TestAccount, testServices } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { newOwner, type Owner, toAccount } from './dashboard/support/people.js';
import { startWorker, type TestWorker } from './facade/support/start-worker.js';
import { finishTask } from './support/finish-task.js';
import { startApi, type TestApi } from './support/start-api.js';

const ROLE = `settings_${randomBytes(6).toString('hex')}`;
let admin: pg.Client;
let api: TestApi;
let account: TestAccount;
let buyer: TestAccount;
let owner: Owner;
let worker: TestWorker;
let expected: Readonly<Record<string, string>>;

beforeAll(async () => {
  admin = new pg.Client({ connectionString: testServices().databaseUrl });
  await admin.connect();
  await admin.query(`CREATE ROLE ${ROLE} SUPERUSER LOGIN PASSWORD '${ROLE}'`);
  api = await startApi({
    DATABASE_ROLE: ROLE,
    AUTH_SECRET: 'x'.repeat(32),
    FACADE_MAX_WAIT: '20',
  });
  await api.store.ensureBucket();
  [account, buyer, owner] = await Promise.all([api.account(), api.account(), newOwner(api)]);
  for (const customer of [account, toAccount(owner)]) {
    for (const metadata of [{ team: 'a' }, { team: 'b' }, null]) {
      await finishTask(api, customer, { request: { prompt: 'a “red” fox', ...(metadata && { metadata }) } });
    }
    await finishTask(api, customer, { images: [] });
  }
  worker = startWorker(api);
  await migrateAndReconnect();
  expected = await readAll();
});
afterAll(async () => {
  await worker.stop();
  await api.test.checkInvariants();
  await api.stop();
  await admin.query(`DROP ROLE ${ROLE}`);
  await admin.end();
});

const databaseName = () => new URL(api.test.url).pathname.slice(1);

/** Does what `migrate` does for sessions, and ends those of the API. */
async function migrateAndReconnect(): Promise<void> {
  await setSessionDefaults(api.workerEnv.DATABASE_URL);
  await reconnect();
}

async function reconnect(): Promise<void> {
  await admin.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1 AND datname = $2',
    [ROLE, databaseName()],
  );
}
const reads = (): readonly (readonly [name: string, read: () => Promise<string>])[] => [
  ...[
    '/v1/tasks?limit=3',
    '/v1/tasks?created_after=2020-01-01&status=completed',
    '/v1/usage?limit=2',
    '/v1/usage?format=csv',
    '/v1/usage?format=ndjson&include=refunds',
    '/v1/usage/summary?group_by=day',
    '/v1/usage/summary?group_by=hour,model',
    '/v1/usage/summary?group_by=metadata:team&include=refunds',
    '/v1/account',
  ].map((path) => [path, async () => (await api.call(path, { as: account })).text] as const),
  ...['/usage', '/usage.csv', '/usage.ndjson', '/images', '/tasks', '/keys'].map(
    (path) => [path, async () => (await owner.get(path)).text] as const,
  ),
];

async function readAll(): Promise<Record<string, string>> {
  await eventually(async () => expect((await api.call('/readyz')).status).toBe(200));
  const found: Record<string, string> = {};
  for (const [name, read] of reads()) {
    found[name] = await read();
  }
  const [{ id = '' } = {}] = (JSON.parse(found['/v1/tasks?limit=3'] ?? '') as ListAnswer).data.items;
  found.task = (await api.call(`/v1/tasks/${id}?view=full`, { as: account })).text;
  return found;
}

interface ListAnswer {
  readonly data: { readonly items: readonly { readonly id: string }[] };
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Submits by every door; each is one task, shown with its time. */
async function buy(): Promise<void> {
  const count = async () => {
    const { rows } = await api.test.pool.query('SELECT count(*)::int AS n FROM tasks WHERE account_id = $1', [
      buyer.id,
    ]);
    return (rows as { n: number }[])[0]?.n ?? 0;
  };
  const before = await count();
  const body = { model: 'nanobanana', prompt: 'a fox', num_outputs: 2 };
  const key = { 'idempotency-key': randomBytes(9).toString('hex') };
  const submits = [
    await api.call('/v1/generate', { as: buyer, body }),
    await api.call('/v1/generate', { as: buyer, body, headers: key }),
    await api.call('/v1/generate', { as: buyer, body, headers: key }),
  ];
  for (const { status, text } of submits) {
    expect([status, JSON.parse(text)]).toMatchObject([
      202,
      { data: { created_at: expect.stringMatching(TIME) } },
    ]);
  }
  expect(submits[2]?.json.data.id).toBe(submits[1]?.json.data.id);
  const drawn = await api.call('/openai/v1/images/generations', { as: buyer, body: { prompt: 'a fox' } });
  expect(drawn.status).toBe(200);
  expect((await count()) - before).toBe(3);
}

/** Sets settings of a role or a database, and checks that everything is as before; then takes them back. */
async function checkAsBefore(target: string, settings: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(settings)) {
    await admin.query(`${target} SET ${name} TO ${value}`);
  }
  try {
    await migrateAndReconnect();
    expect(await readAll()).toEqual(expected);
    await buy();
  } finally {
    await admin.query(`${target} RESET ALL`);
  }
}

const getStyles = ([DateStyle, TimeZone, IntervalStyle]: (typeof STYLES)[number]) => ({
  DateStyle,
  TimeZone,
  IntervalStyle,
  standard_conforming_strings: 'off',
  default_transaction_isolation: "'repeatable read'",
});

/** DateStyle with TimeZone and IntervalStyle: each form, order and kind at least once. */
const STYLES = [
  ["'ISO, DMY'", "'Asia/Kathmandu'", 'sql_standard'],
  ["'ISO, YMD'", "'UTC'", 'postgres_verbose'],
  ["'SQL, MDY'", "'America/St_Johns'", 'iso_8601'],
  ["'SQL, DMY'", "'UTC'", 'postgres'],
  ["'German, DMY'", "'Asia/Tokyo'", 'postgres_verbose'],
  ["'Postgres, MDY'", "'America/St_Johns'", 'sql_standard'],
  ["'Postgres, YMD'", "'UTC'", 'iso_8601'],
] as const;

/** Settings that are not on the role: no statement depends on them. */
const WITHOUT_EFFECT = {
  bytea_output: 'escape',
  extra_float_digits: '-15',
  transform_null_equals: 'on',
  array_nulls: 'off',
  quote_all_identifiers: 'on',
  client_encoding: 'LATIN1',
  xmloption: 'document',
  lc_numeric: "'C'",
  plan_cache_mode: 'force_generic_plan',
  row_security: 'off',
  backslash_quote: 'off',
};

describe('settings of sessions', () => {
  test.each(STYLES)(
    'DateStyle %s, TimeZone %s and IntervalStyle %s of the database: reads, exports and submits are as with the default',
    async (...values) => {
      await checkAsBefore(`ALTER DATABASE ${databaseName()}`, getStyles(values));
    },
  );

  test.each(STYLES)(
    'DateStyle %s, TimeZone %s and IntervalStyle %s of the role: reads, exports and submits are as with the default',
    async (...values) => {
      await checkAsBefore(`ALTER ROLE ${ROLE}`, getStyles(values));
    },
  );

  test('other settings of sessions change nothing that is read or bought', async () => {
    await checkAsBefore(`ALTER ROLE ${ROLE}`, WITHOUT_EFFECT);
  });

  test('a role that is changed beside the running API: it is not ready, says why, and buys nothing', async () => {
    const target = `ALTER ROLE ${ROLE} IN DATABASE ${databaseName()}`;
    await admin.query(`${target} SET DateStyle TO 'German'`);
    await reconnect();
    const { rows: before } = await api.test.pool.query('SELECT count(*) AS n FROM tasks');
    await eventually(async () => {
      const { status, json } = await api.call('/readyz');
      expect([status, json.error.message]).toEqual([503, expect.stringContaining('DateStyle German')]);
    });
    for (let i = 0; i < 5; i++) {
      const { status } = await api.call('/v1/generate', {
        as: buyer,
        body: { model: 'nanobanana', prompt: 'x' },
      });
      expect(status).toBe(503);
    }
    const { rows: after } = await api.test.pool.query('SELECT count(*) AS n FROM tasks');
    expect(after).toEqual(before);
    await setSessionDefaults(api.workerEnv.DATABASE_URL);
    await eventually(async () => expect((await api.call('/readyz')).status).toBe(200));
    await eventually(buy);
  });
});
