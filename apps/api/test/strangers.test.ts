import { settleTask } from '@image-gateway/shared/billing';
import { newApiKey, newId } from '@image-gateway/shared/ids';
import { eventually } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { finishTask } from './support/finish-task.js';
import { startApi, type TestApi } from './support/start-api.js';

let api: TestApi;

beforeAll(async () => {
  api = await startApi({ TRUST_PROXY: 'loopback' });
  await eventually(async () => expect((await api.call('/readyz')).json.data.redis).toBe('ok'));
});
afterAll(() => api.stop());

/** Reads of `api_keys` and `tasks` by index so far, as PostgreSQL counts them: one for each key or id that was looked up. */
async function scans(table: 'api_keys' | 'tasks'): Promise<number> {
  await api.test.pool.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await api.test.pool.query<{ scans: string }>(
    'SELECT COALESCE(idx_scan, 0) + seq_scan AS scans FROM pg_stat_user_tables WHERE relname = $1',
    [table],
  );
  return Number(rows[0]?.scans);
}

describe('strangers', () => {
  test('forged keys of one address reach PostgreSQL no more often than they may fail', async () => {
    const before = await scans('api_keys');
    const answers = await Promise.all(
      Array.from({ length: 400 }, () =>
        api.call('/v1/tasks', {
          headers: { authorization: `Bearer ${newApiKey().key}`, 'x-forwarded-for': '198.51.100.1' },
        }),
      ),
    );
    // On a busy machine some give up waiting for their turn. None of those is looked up.
    expect(answers.filter(({ status }) => ![401, 429, 503].includes(status))).toEqual([]);
    expect(answers.filter(({ status }) => status === 401).length).toBeLessThan(60);
    await eventually(async () => expect(await scans('api_keys')).toBeGreaterThan(before));
    expect((await scans('api_keys')) - before).toBeLessThan(60);
  });

  test('a key works at once after it is made, and goes on while its address fails', async () => {
    const as = await api.account();
    const headers = { 'x-forwarded-for': '198.51.100.2' };
    expect((await api.call('/v1/tasks', { as, headers })).status).toBe(200);
    const bad = { headers: { ...headers, authorization: 'Bearer x' } };
    await Promise.all(Array.from({ length: 30 }, () => api.call('/v1/tasks', bad)));
    expect((await api.call('/v1/tasks', bad)).status).toBe(429);
    expect((await api.call('/v1/tasks', { as, headers })).status).toBe(200);
    const other = await api.account();
    expect((await api.call('/v1/tasks', { as: other, headers })).status).toBe(429);
    expect(
      (await api.call('/v1/tasks', { as: other, headers: { 'x-forwarded-for': '198.51.100.3' } })).status,
    ).toBe(200);
  });

  test('a file that was asked for before its task had ended is served at once when it has', async () => {
    const as = await api.account();
    await api.store.ensureBucket();
    const task = await finishTask(api, as, { settle: false });
    const path = `/files/images/${task.id}/0.png`;
    expect((await api.call(path)).status).toBe(404);
    await api.store.put(`images/${task.id}/0.png`, Buffer.from('an image'), { contentType: 'image/png' });
    await settleTask(
      { db: api.test.db, newId, fileUrl: 'http://gateway.test/files' },
      { taskId: task.id, attempt: 1, reason: 'x' },
    );
    expect((await api.call(path)).status).toBe(200);
  });
});
