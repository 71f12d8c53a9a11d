import { createTestTask } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { finishTask } from '../support/finish-task.js';
import { startApi, type TestApi } from '../support/start-api.js';
import { newOwner, type Owner, toAccount } from './support/people.js';

let api: TestApi;
let owner: Owner;
let stranger: Owner;
let keyId: string;
let taskId: string;
let deliveryId: string;

beforeAll(async () => {
  api = await startApi({ AUTH_SECRET: 'x'.repeat(32) });
  owner = await newOwner(api);
  stranger = await newOwner(api);
  keyId = String((await owner.post('/keys', { name: 'mine' })).data.id);
  const account = toAccount(owner, keyId);
  const task = await finishTask(api, account, { request: { webhook_url: 'https://hooks.example/secret' } });
  taskId = task.id;
  const { rows } = await api.test.pool.query<{ id: string }>(
    'SELECT id FROM webhook_deliveries WHERE task_id = $1',
    [taskId],
  );
  deliveryId = rows[0]?.id ?? '';
});
afterAll(() => api.stop());

describe('what belongs to another account', () => {
  test.each([
    ['a task', () => stranger.get(`/tasks/${taskId}`), () => stranger.get(`/tasks/gen_${'0'.repeat(22)}`)],
    [
      'a task to cancel',
      () => stranger.post(`/tasks/${taskId}/cancel`),
      () => stranger.post(`/tasks/gen_${'0'.repeat(22)}/cancel`),
    ],
    [
      'a key to revoke',
      () => stranger.post(`/keys/${keyId}/revoke`),
      () => stranger.post(`/keys/key_${'0'.repeat(22)}/revoke`),
    ],
    [
      'a key to rotate',
      () => stranger.post(`/keys/${keyId}/rotate`, { grace_hours: 1 }),
      () => stranger.post(`/keys/key_${'0'.repeat(22)}/rotate`, { grace_hours: 1 }),
    ],
    [
      'a webhook to resend',
      () => stranger.post(`/webhooks/${deliveryId}/resend`),
      () => stranger.post(`/webhooks/msg_${'0'.repeat(22)}/resend`),
    ],
  ])('%s is as unknown as one that does not exist', async (_what, foreign, unknown) => {
    const [seen, none] = [await foreign(), await unknown()];
    expect(seen.status).toBe(404);
    const words = (text: string) => text.replace(/(key|gen|msg)_\w+/g, '…');
    expect(words(seen.text)).toBe(words(none.text));
  });

  test('what belongs to another account is in none of the lists and sums', async () => {
    for (const path of [
      '/keys',
      '/tasks',
      '/images',
      '/usage',
      '/usage.csv',
      '/webhooks',
      '/webhooks/tests',
      '/runs',
      '/overview',
      '/webhooks/secret',
    ]) {
      const mine = await owner.get(path);
      const theirs = await stranger.get(path);
      expect([mine.status, theirs.status]).toEqual([200, 200]);
      for (const secret of [keyId, taskId, deliveryId, 'hooks.example']) {
        expect(theirs.text).not.toContain(secret);
      }
    }
    expect((await stranger.get('/usage')).data).toMatchObject({ units: 0, charged: '$0.00' });
    expect((await owner.get('/usage')).data).toMatchObject({ units: 1, charged: '$0.0100' });
  });

  test('an own task is canceled, under the name of who did it', async () => {
    const account = toAccount(owner, keyId);
    const { id } = await createTestTask(api.test.db, account);
    expect((await stranger.post(`/tasks/${id}/cancel`)).status).toBe(404);
    expect((await owner.get(`/tasks/${id}`)).data).toMatchObject({ status: 'pending' });
    expect((await owner.post(`/tasks/${id}/cancel`)).status).toBe(200);
    expect((await owner.get(`/tasks/${id}`)).data).toMatchObject({
      status: 'failed',
      error: 'The task was canceled.',
    });
    const { rows } = await api.test.pool.query(
      'SELECT action, detail FROM audit_entries WHERE subject = $1',
      [id],
    );
    expect(rows).toEqual([{ action: 'task.cancel', detail: { actor: owner.email } }]);
  });

  test('an own task that has ended is deleted, under the name of who did it', async () => {
    const account = toAccount(owner, keyId);
    const { id } = await createTestTask(api.test.db, account);
    expect((await owner.post(`/tasks/${id}/delete`)).status).toBe(400);
    await owner.post(`/tasks/${id}/cancel`);
    expect((await stranger.post(`/tasks/${id}/delete`)).status).toBe(404);
    expect((await owner.post(`/tasks/${id}/delete`)).status).toBe(200);
    expect((await owner.get(`/tasks/${id}`)).status).toBe(404);
    const { rows } = await api.test.pool.query(
      `SELECT detail FROM audit_entries WHERE subject = $1 AND action = 'task.delete'`,
      [id],
    );
    expect(rows).toEqual([{ detail: { actor: owner.email } }]);
  });

  test('what belongs to another account stays as it was', async () => {
    const keys = (await owner.get('/keys')).data as unknown as { id: string; revoked_at: string | null }[];
    expect(keys).toEqual([expect.objectContaining({ id: keyId, revoked_at: null, expires_at: null })]);
    const { rows } = await api.test.pool.query('SELECT action FROM audit_entries WHERE detail ->> $1 = $2', [
      'actor',
      stranger.email,
    ]);
    expect(rows).toEqual([{ action: 'user.sign-in' }]);
  });
});

test('the owner sees all of it', async () => {
  const { data } = await owner.get(`/tasks/${taskId}`);
  expect(data).toMatchObject({
    id: taskId,
    status: 'completed',
    prompt: 'a red fox',
    cost: '$0.0100',
    api_key: { id: keyId, name: 'mine' },
    outputs: [{ index: 0, url: `http://gateway.test/files/images/${taskId}/0.png`, width: 1, height: 1 }],
    delivery: { id: deliveryId, url: 'https://hooks.example/secret', state: 'pending', attempts: [] },
  });
});
