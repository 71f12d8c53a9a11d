import { eventually, reportWorker, type TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
let account: TestAccount;
beforeAll(async () => {
  api = await startApi({ DATABASE_POOL: '3', AUTH_SECRET: 'x'.repeat(32) });
  account = await api.account();
});
afterAll(async () => {
  await api.test.checkInvariants();
  await api.stop();
});

const submit = () =>
  api.call('/v1/generate', { as: account, body: { model: 'nanobanana', prompt: 'a fox' } });
const statuses = async (count: number): Promise<number[]> =>
  (await Promise.all(Array.from({ length: count }, submit))).map(({ status }) => status);
const name = (): string => new URL(api.test.url).pathname.slice(1);
/** Decides about sessions that are opened from now on, as a change of roles between two servers does. */
const setReadOnly = (state: 'on' | 'off') =>
  api.test.pool.query(
    `BEGIN READ WRITE; ALTER DATABASE ${name()} SET default_transaction_read_only = ${state}; COMMIT`,
  );
const endSessions = () =>
  api.test.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name LIKE 'image-gateway-api/%'`,
  );

test('a database that takes no writes: submits are 503, readyz is 503, and both are back within seconds although no session was ended', async () => {
  await setReadOnly('on');
  await endSessions();
  await eventually(async () => {
    const { status, json, headers } = await submit();
    expect([status, json.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });
  expect(await statuses(20)).toEqual(Array(20).fill(503));
  await eventually(async () => expect((await api.call('/readyz')).status).toBe(503));
  expect((await api.call('/v1/tasks', { as: account })).status).toBe(200);
  await setReadOnly('off');
  await eventually(async () => expect(await statuses(10)).toEqual(Array(10).fill(202)), { timeoutMs: 5_000 });
  await eventually(async () => expect((await api.call('/readyz')).status).toBe(200));
});

test('a session that the server ends in the middle of a write is answered with 503, not 500', async () => {
  const holder = await api.test.pool.connect();
  await holder.query('BEGIN READ WRITE');
  await holder.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [account.id]);
  const submitted = submit();
  await eventually(async () => {
    const { rowCount } = await api.test.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name LIKE 'image-gateway-api/%' AND wait_event_type = 'Lock'`,
    );
    expect(rowCount).toBeGreaterThan(0);
  });
  expect((await submitted).status).toBe(503);
  await holder.query('ROLLBACK');
  holder.release();
  await eventually(async () => expect((await submit()).status).toBe(202));
});

test('a store that refuses the images of a generation worker is degraded in readyz, with the way, until the worker stores again', async () => {
  await api.store.ensureBucket();
  const read = async () => {
    const { json } = await api.call('/readyz');
    return json.data;
  };
  await eventually(async () => expect(await read()).toMatchObject({ status: 'ready', storage: 'ok' }));
  await reportWorker(api.test, { storeFault: 'put images/gen_1/0.png: answered 507 (InsufficientStorage)' });
  await eventually(async () =>
    expect(await read()).toMatchObject({
      status: 'ready',
      storage: 'degraded',
      reasons: { storage: expect.stringContaining('gateway doctor') },
    }),
  );
  // The route is public.
  expect(JSON.stringify(await read())).not.toContain('gen_1');
  await reportWorker(api.test, {});
  await eventually(async () => expect(await read()).toMatchObject({ status: 'ready', storage: 'ok' }));
});
