import { randomBytes } from 'node:crypto';
import { claimCheck, finishCheck, NOT_DONE } from '@image-gateway/shared/db';
import type {
  ManagedProvider,
  ManagedProvidersView,
  ProviderCheckResult,
} from '@image-gateway/shared/provider/schema';
import { computeFingerprint, getEncryptionKeyId, openKeys } from '@image-gateway/shared/upstreams';
import { createTestAccount, createTestTask, eventually, reportWorker } from '@image-gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { keepProviderKeys } from '../../src/provider/keep-provider-keys.js';
import { startApi, type TestApi } from '../support/start-api.js';
import { newOperator, type Person } from './support/people.js';

const encryptionKey = randomBytes(32);
const ADDRESS = 'fal.example:443';

let api: TestApi;
let operator: Person;
let worker: { readonly stop: () => Promise<void>; readonly seen: string[] };
beforeAll(async () => {
  api = await startApi({
    AUTH_SECRET: 'x'.repeat(32),
    ENCRYPTION_KEY: encryptionKey.toString('base64'),
    PROVIDERS: 'sandbox',
  });
  operator = await newOperator(api);
  worker = startWorker();
});
afterAll(async () => {
  await worker.stop();
  await api.test.checkInvariants('live');
  await api.stop();
});
beforeEach(async () => {
  worker.seen.length = 0;
  await api.test.pool.query('DELETE FROM provider_keys');
});

/** Stands in for a generation worker: it reports itself, and answers checks by what the key says. */
function startWorker() {
  const { db } = api.test;
  const seen: string[] = [];
  let isOn = true;
  const loop = async (): Promise<void> => {
    while (isOn) {
      await reportWorker(api.test, { providers: [], keys: { fal: { source: null, address: ADDRESS } } });
      const check = await claimCheck(db, {
        id: null,
        encryptionKeyIds: [getEncryptionKeyId(encryptionKey)],
        leaseMs: 5_000,
      });
      if (check === null) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        continue;
      }
      const place = { name: check.provider, protocol: check.protocol ?? '', hostPort: check.hostPort ?? '' };
      const text = openKeys([encryptionKey], place, check as never) ?? 'in-use';
      seen.push(`${text} at ${place.hostPort}`);
      if (!text.includes('silent')) {
        const result = text.includes('refused') ? 'refused' : text.includes('403') ? 'unclear' : 'accepted';
        const status = result === 'refused' ? 401 : result === 'unclear' ? 403 : 200;
        const keys: ProviderCheckResult['keys'] = [
          { fingerprint: 'f', result, status, reason: result === 'accepted' ? null : 'says the vendor' },
        ];
        const done = { ...NOT_DONE, note: null, keys, models: ['a', 'b'] };
        await finishCheck(db, { id: check.id, attempt: check.attempt, result: done, costMicros: null });
      }
    }
  };
  const ended = loop();
  return {
    seen,
    stop: async () => {
      isOn = false;
      await ended;
    },
  };
}

const view = async () =>
  (await operator.get('/operator/models/providers')).data as unknown as ManagedProvidersView;
const find = async (name = 'fal') =>
  (await view()).providers.find((one) => one.name === name) as ManagedProvider;
const set = (keys: string, password = operator.password) =>
  operator.post('/operator/models/providers/fal/key', { keys, password });
const audit = async () =>
  (await api.test.pool.query('SELECT row_to_json(a)::text AS text FROM audit_entries a')).rows
    .map(({ text }) => text as string)
    .join('\n');

describe('a key of a provider on the page', () => {
  test('is tried by a worker at the address that workers call, kept encrypted, and never shown again', async () => {
    const answer = await set('key-that-is-good-1234');
    expect(answer.data).toEqual({ tested: true, reason: null });
    expect(worker.seen).toEqual([`key-that-is-good-1234 at ${ADDRESS}`]);
    expect(await find()).toMatchObject({
      key_variable: 'FAL_API_KEY',
      address: ADDRESS,
      stored: { last_four: '1234', by: operator.email, tested: true, address: ADDRESS },
      check: { state: 'done', result: { keys: [{ result: 'accepted' }] } },
    });
    const { rows } = await api.test.pool.query('SELECT row_to_json(k)::text AS text FROM provider_keys k');
    const everything = [
      ...rows.map(({ text }) => text),
      await audit(),
      ...api.lines,
      JSON.stringify(await view()),
    ];
    expect(everything.join()).not.toContain('key-that-is-good');
    expect(everything.join()).not.toContain(Buffer.from('key-that-is-good').toString('hex'));
    expect(await audit()).toContain('provider.key.set');
  });

  test('is shown with the running jobs that have it when it was replaced or removed', async () => {
    const { db, pool } = api.test;
    await set('first-good-key-1111');
    const task = await createTestTask(db, await createTestAccount(api.test));
    const run = (id: string, key: string) =>
      pool.query(
        `INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, provider_request_id, state, cost_micros, key_fingerprint)
         VALUES ($1, $2, 1, 'fal', 'm', 1, '{0}', $1, 'submitted', 0, $3)`,
        [id, task.id, computeFingerprint(key)],
      );
    await run('call-1', 'first-good-key-1111');
    await run('call-2', 'first-good-key-1111');
    await set('second-good-key-2222');
    await run('call-3', 'second-good-key-2222');
    const since = expect.any(String);
    expect((await find()).ending).toEqual([{ last_four: '1111', since, jobs: 2 }]);
    await operator.post('/operator/models/providers/fal/key/remove', { password: operator.password });
    expect((await find()).ending).toEqual([
      { last_four: '1111', since, jobs: 2 },
      { last_four: '2222', since, jobs: 1 },
    ]);
    await pool.query("UPDATE provider_calls SET state = 'failed', finished_at = now() WHERE task_id = $1", [
      task.id,
    ]);
    expect((await find()).ending.map(({ jobs }) => jobs)).toEqual([0, 0]);
    await pool.query('DELETE FROM ending_provider_keys');
  });

  test('is not kept where the provider refuses it, and the former one stays', async () => {
    await set('former-good-key');
    const { status, error } = await set('refused-key');
    expect([status, error?.message]).toEqual([
      400,
      'fal refuses the key (the provider answered 401: says the vendor). Nothing is stored.',
    ]);
    expect((await find()).stored?.last_four).toBe('-key');
    const { rows } = await api.test.pool.query('SELECT sealed FROM provider_checks WHERE sealed IS NOT NULL');
    expect(rows).toEqual([]);
  });

  test('is kept untested, with the reason of the vendor, where that tells nothing of it', async () => {
    expect((await set('answers-403')).data).toEqual({
      tested: false,
      reason: 'the provider answered 403: says the vendor',
    });
    expect((await find()).stored?.tested).toBe(false);
  });

  test('is kept untested where no worker answers in time, and its trial holds no key any more', async () => {
    const deps = { db: api.test.db, encryptionKeys: [encryptionKey], upstreams: {} as never, waitMs: 400 };
    const kept = await keepProviderKeys(deps, { name: 'fal', text: 'silent', actor: 'test' });
    expect(kept).toEqual({ tested: false, reason: 'No generation worker answered in time.' });
    const { rows } = await api.test.pool.query('SELECT sealed FROM provider_checks WHERE sealed IS NOT NULL');
    expect(rows).toEqual([]);
  });

  test('needs the password, to be set and to be removed', async () => {
    const { status, error } = await set('some-good-key', 'not the password');
    expect([status, error?.message, (await find()).stored]).toEqual([400, 'The password is wrong.', null]);
    await set('some-good-key');
    const remove = (password: string) =>
      operator.post('/operator/models/providers/fal/key/remove', { password });
    expect((await remove('not the password')).status).toBe(400);
    expect((await find()).stored).not.toBeNull();
    expect((await remove(operator.password)).status).toBe(200);
    expect((await find()).stored).toBeNull();
    expect(await audit()).toContain('provider.key.remove');
  });

  test('is tried again, and a trial image costs what the page says or is not asked for', async () => {
    const check = (body: object) => operator.post('/operator/models/providers/fal/check', body);
    const { data } = await check({});
    const id = String(data.id);
    await eventually(async () => {
      const { data: found } = await operator.get(`/operator/models/provider-checks/${id}`);
      expect(found).toMatchObject({ state: 'done', draws: false, result: { models: ['a', 'b'] } });
    });
    const wrong = await check({ cost: '$99.0000' });
    expect([wrong.status, wrong.error?.message]).toEqual([
      400,
      expect.stringContaining('another one by now'),
    ]);
    const { trial } = await find();
    expect((await check({ cost: trial?.cost })).data).toMatchObject({ draws: true });
    expect(await audit()).toContain('provider.draw');
    expect((await operator.post('/operator/models/providers/nobody/check', {})).status).toBe(404);
  });
});

describe('ceiling and pause of a provider on the page', () => {
  test('are set and removed, with an entry in the audit log', async () => {
    const post = (what: string, body: object) =>
      operator.post(`/operator/models/providers/fal/${what}`, body);
    await post('limit', { cost_day: '50.00' });
    await post('pause', { hours: 2 });
    const { cost_day, paused, paused_until } = await find();
    expect([cost_day, paused]).toEqual(['$50.0000', true]);
    expect(Date.parse(String(paused_until)) - Date.now()).toBeGreaterThan(7_000_000);
    await post('pause', { hours: null });
    expect((await find()).paused_until).toBeNull();
    await post('resume', {});
    await post('limit', { cost_day: null });
    expect(await find()).toMatchObject({ cost_day: null, paused: false });
    expect((await post('limit', { cost_day: 'much' })).status).toBe(400);
    for (const action of ['provider.limit', 'provider.pause', 'provider.resume']) {
      expect(await audit()).toContain(action);
    }
  });
});
