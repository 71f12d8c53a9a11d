import { createTestTask } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { finishTask } from './support/finish-task.js';
import { startApi, type TestApi } from './support/start-api.js';

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => {
  await api.test.checkInvariants();
  await api.stop();
});

describe('pages of tasks from the cache and from shared statements', () => {
  test('GET /v1/tasks shows each task as GET /v1/tasks/{id} does, whether it was read before or not', async () => {
    const account = await api.account();
    const made = [await finishTask(api, account), await finishTask(api, account, { images: [] })];
    const running = await createTestTask(api.test.db, account);
    const waiting = await createTestTask(api.test.db, account);
    await api.test.pool.query(
      "UPDATE tasks SET created_at = created_at + interval '1 second' WHERE id = $1",
      [waiting.id],
    );
    await api.test.pool.query(
      "UPDATE tasks SET phase = 'running', lease_until = now(), started_at = now() WHERE id = $1",
      [running.id],
    );
    const tasks = [waiting, running, ...made.reverse()];
    const list = async () => (await api.call('/v1/tasks', { as: account })).text;
    const before = await list();
    const single = tasks.map(
      async ({ id }) => (await api.call(`/v1/tasks/${id}`, { as: account })).json.data,
    );
    const data = {
      items: await Promise.all(single),
      pagination: { page: 1, per_page: 20, total: 4, total_pages: 1 },
    };
    expect([before, await list()]).toEqual(Array(2).fill(JSON.stringify({ data, error: null })));
  });

  test('GET /v1/tasks gives each of many accounts its own list when all ask at the same time', async () => {
    const accounts = await Promise.all(Array.from({ length: 12 }, () => api.account()));
    const made = await Promise.all(accounts.map((account) => createTestTask(api.test.db, account)));
    const asking = accounts.flatMap((account) => [
      api.call('/v1/tasks', { as: account }),
      api.call('/v1/tasks?page=2', { as: account }),
    ]);
    const answers = (await Promise.all(asking)).map(({ json }) => json.data.items.map(({ id }) => id));
    expect(answers).toEqual(made.flatMap(({ id }) => [[id], []]));
  });
});
