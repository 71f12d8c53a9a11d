import type { TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runCommand } from './cli/support/run-command.js';
import { newOwner, type Owner } from './dashboard/support/people.js';
import { finishTask } from './support/finish-task.js';
import { startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
let account: TestAccount;
let owner: Owner;
beforeAll(async () => {
  api = await startApi({ AUTH_SECRET: 'x'.repeat(32) });
  [account, owner] = await Promise.all([api.account(), newOwner(api)]);
  await finishTask(api, account);
});
afterAll(() => api.stop());

const V1 = [
  '/v1/usage?',
  '/v1/usage?format=csv&',
  '/v1/usage?format=ndjson&',
  '/v1/usage/summary?',
  '/v1/usage/summary?group_by=day&',
  '/v1/usage/summary?group_by=model,day&include=refunds&',
];
const ask = async (path: string) => (await api.call(path, { as: account })).status;

describe('times that are no times', () => {
  test.each([
    '0000-01-01',
    '0001-01-01T00:00:00%2B01:00',
    '9999-12-31T23:59:59-23:59',
    '%2B010000-01-01T00:00:00Z',
    '2027-02-30',
    '2030',
  ])('%s is a 400 in every query', async (time) => {
    for (const path of V1) {
      for (const name of ['from', 'to']) {
        expect([path, name, await ask(`${path}${name}=${time}`)]).toEqual([path, name, 400]);
      }
    }
    expect(await ask(`/v1/tasks?created_after=${time}`)).toBe(400);
    for (const path of [
      '/usage?from=',
      '/usage?to=',
      '/usage.csv?from=',
      '/usage.ndjson?to=',
      '/images?from=',
      '/images?to=',
    ]) {
      expect([path, (await owner.get(`${path}${time}`)).status]).toEqual([path, 400]);
    }
    expect((await owner.get(`/images?before=0000-01-01T00:00:00.000Z_gen_${'0'.repeat(22)}`)).status).toBe(
      400,
    );
  });

  test.each([
    '+010000-01-01T00:00:00Z',
    '+275760-09-13T00:00:00.000Z',
    '9999-12-31T23:59:59-05:00',
    '2030-02-30',
    '2030',
    '2030-01-31T10:00:00',
  ])('a key cannot end at %s, and the keys of its account stay listed', async (time) => {
    const { status, error } = await owner.post('/keys', { name: 'never', expires_at: time });
    expect([status, error?.code]).toEqual([400, 'VALIDATION_ERROR']);
    const made = await runCommand(
      { db: api.test.db },
      'key',
      'create',
      '--account',
      owner.accountId,
      '--expires',
      time,
    );
    expect(made.value.error?.message).toContain('--expires');
    expect((await owner.get('/keys')).status).toBe(200);
    const listed = await runCommand({ db: api.test.db }, 'key', 'list', '--account', owner.accountId);
    expect(listed.code).toBe(0);
  });

  test('no key ends after the year 9999, whoever writes it', async () => {
    const { id } = (await owner.post('/keys', { name: 'x' })).data;
    await expect(
      api.test.db.prisma.$executeRawUnsafe(
        `UPDATE api_keys SET expires_at = '10000-01-01 00:00:00+00' WHERE id = $1`,
        id,
      ),
    ).rejects.toThrow('api_keys_expires_at');
  });
});

describe('the first and the last times', () => {
  test.each([
    ['0001-01-01', '9999-12-31'],
    ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'],
    ['0001-01-01T12:00:00Z', '9999-12-31T12:00:00Z'],
    ['2026-01-01t00:00:00z', '9999-12-31t23:59:59z'],
  ])('from %s to %s is everything', async (from, to) => {
    for (const path of V1) {
      const answer = await api.call(`${path}from=${from}&to=${to}`, { as: account });
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.text).toMatch(/nanobanana|"request_count":1/);
      expect([path, await ask(`${path}from=${to}`)]).toEqual([path, 200]);
      expect([path, await ask(`${path}to=${from}`)]).toEqual([path, 200]);
    }
  });

  test('the pages of usage and images take them too', async () => {
    for (const days of [
      'from=0001-01-01',
      'to=0001-01-01',
      'to=0001-01-20',
      'from=9999-12-31',
      'to=9999-12-31',
      'from=0001-01-01&to=9999-12-31',
    ]) {
      for (const path of ['/usage', '/usage.csv', '/usage.ndjson', '/images']) {
        expect([path, days, (await owner.get(`${path}?${days}`)).status]).toEqual([path, days, 200]);
      }
    }
  });

  test('a key may end at the last one', async () => {
    const expires_at = '9999-12-31T23:59:59.999Z';
    expect((await owner.post('/keys', { name: 'last', expires_at })).status).toBe(200);
    expect((await owner.get('/keys')).text).toContain(expires_at);
    const listed = await runCommand<{ name: string }[]>(
      { db: api.test.db },
      'key',
      'list',
      '--account',
      owner.accountId,
    );
    expect(listed.value.map(({ name }) => name)).toContain('last');
  });
});
