import { settleTask } from '@image-gateway/shared/billing';
import { REASONS } from '@image-gateway/shared/contract';
import { newId } from '@image-gateway/shared/ids';
import { createTestTask } from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createApiKey } from '../src/key/create-api-key.js';
import { accountLimits } from '../src/key/create-limits.js';
import { newOwner } from './dashboard/support/people.js';
import { startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ AUTH_SECRET: 'x'.repeat(32), MAX_FAILED_TASKS: '2/600' });
});
afterAll(() => api.stop());

test('tasks that fail because of their requests bar their account from submitting, its playground too, and nothing else', async () => {
  const { db } = api.test;
  const owner = await newOwner(api);
  const { accountId } = owner;
  const { id, key } = await createApiKey({ db }, { accountId, name: 'k', expiresAt: null, actor: 'test' });
  const headers = { authorization: `Bearer ${key}` };
  const body = { model: 'nanobanana', prompt: 'x' };
  const submit = () => api.call('/v1/generate', { method: 'POST', headers, body });
  const fail = async (): Promise<void> => {
    const account = { id: accountId, apiKeyId: id, apiKey: key, webhookSecret: '' };
    const task = await createTestTask(db, account);
    const reason = REASONS.moderation;
    await settleTask({ db, newId, fileUrl: 'http://x' }, { taskId: task.id, attempt: 0, reason });
  };
  await fail();
  expect((await submit()).status).toBe(202);
  await fail();
  const refused = await submit();
  expect([refused.status, refused.json.error]).toEqual([
    429,
    { code: 'RATE_LIMITED', message: expect.stringContaining('MAX_FAILED_TASKS') },
  ]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(500);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(600);
  const playground = await owner.post('/generate', body);
  expect([playground.status, playground.error?.message]).toEqual([429, refused.json.error.message]);
  expect((await api.call('/v1/tasks', { headers })).status).toBe(200);

  await accountLimits.change(db, { id: accountId, limits: { failed: '3/600' }, actor: 'test' });
  expect((await submit()).status).toBe(202);
  expect((await owner.post('/generate', body)).status).toBe(202);
});
