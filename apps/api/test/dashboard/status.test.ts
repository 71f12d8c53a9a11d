import type { StatusView } from '@image-gateway/shared/system/schema';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { finishTask } from '../support/finish-task.js';
import { startApi, type TestApi } from '../support/start-api.js';
import { newOperator, newOwner, type Person, toAccount } from './support/people.js';

const dollars = (text: string): number => Number(text.replace('$', ''));
const sum = (values: readonly number[] = []): number => values.reduce((total, value) => total + value, 0);

let api: TestApi;
let operator: Person;
beforeAll(async () => {
  api = await startApi({ AUTH_SECRET: 'x'.repeat(32) });
  operator = await newOperator(api);
});
afterAll(async () => {
  await api.test.checkInvariants('live');
  await api.stop();
});

test('an operator reads what tasks, calls and refunds of each hour and day came to', async () => {
  const person = await newOwner(api);
  const account = toAccount(person);
  const task = await finishTask(api, account, { images: [Buffer.from('a'), Buffer.from('b')] });
  await finishTask(api, account, { images: [] });
  await api.test.pool.query(
    `INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, state, cost_micros, created_at, finished_at)
     SELECT 'call_s' || n, $1, 1, 'gemini', 'm', 1, '{0}', (ARRAY['succeeded', 'failed', 'refused', 'rate_limited', 'started'])[n], 7000, now(), now()
       FROM generate_series(1, 5) n`,
    [task.id],
  );
  await api.test.pool.query('SELECT recount()');
  const before = (await operator.get('/operator/status')).data as unknown as StatusView;
  await operator.post(`/operator/tasks/${task.id}/refund`, { reason: 'test' });
  for (const [span, unit, length] of [
    ['day', 'hour', 25],
    ['week', 'hour', 169],
    ['month', 'day', 31],
  ] as const) {
    const view = (await operator.get(`/operator/status?span=${span}`)).data as unknown as StatusView;
    expect([view.unit, view.points.length]).toEqual([unit, length]);
    expect(view.points.at(-1)).toMatchObject({ at: expect.stringMatching(/T\d\d:00:00\.000Z$/) });
    const gemini = view.providers.find(({ provider }) => provider === 'gemini');
    expect([gemini?.delivered.length, sum(gemini?.delivered), sum(gemini?.failed)]).toEqual([length, 1, 1]);
    expect(sum(view.points.map(({ failed }) => failed))).toBe(view.whole.failed);
    expect(view.whole.failed).toBe(before.whole.failed);
    expect(dollars(view.whole.refunded) - dollars(before.whole.refunded)).toBeCloseTo(0.02, 6);
  }
  expect(before.whole.wait_p50_ms).toEqual(expect.any(Number));
  expect(before.whole.completed).toBeGreaterThan(0);
  expect((await operator.get('/operator/status?span=year')).status).toBe(400);
  expect((await person.get('/operator/status')).status).toBe(403);
});
