import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { startApi, type TestApi } from '../support/start-api.js';
import { newOwner, type Owner } from './support/people.js';

let api: TestApi;
let owner: Owner;
beforeAll(async () => {
  api = await startApi({ AUTH_SECRET: 'x'.repeat(32) });
  owner = await newOwner(api);
  await api.test.pool.query(
    "CREATE OR REPLACE FUNCTION list_bucket_size() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 3::bigint'",
  );
});
afterAll(async () => {
  await api.test.checkInvariants();
  await api.stop();
});

const STATES = ['pending', 'sending', 'delivered', 'failed'] as const;
let tasks = 0;

/** Inserts failed tasks with a webhook each, created so many milliseconds after a moment. */
async function insertDeliveries(times: readonly number[]): Promise<void> {
  const asked = times.map((ms) => ({ id: `page${++tasks}`, at: new Date(Date.UTC(2026, 0, 1) + ms) }));
  await api.test.pool.query(
    `WITH asked AS (SELECT * FROM json_to_recordset($2::json) AS a(id text, at timestamptz)),
     task AS (
       INSERT INTO tasks (id, account_id, api_key_id, request_id, model, type, prompt, aspect_ratio, resolution, num_outputs, image_urls,
         webhook_url, status, phase, settled_attempt, deadline_at, unit_micros, hold_micros, error, created_at, started_at, completed_at)
       SELECT 'gen_' || id, $1, 'key', 'req', 'nanobanana', 'image_generate', 'x', '16:9', '1k', 1, '{}', 'https://a.test/', 'failed', 'done',
         0, at, 10000, 10000, 'x', at, at, at FROM asked),
     delivery AS (
       INSERT INTO webhook_deliveries (id, task_id, account_id, url, host_port, body, next_attempt_at, created_at)
       SELECT 'msg_' || id, 'gen_' || id, $1, 'https://a.test/', 'a.test:443',
         jsonb_build_object('data', jsonb_build_object('id', 'gen_' || id, 'status', 'failed'))::text, at, at FROM asked)
     UPDATE accounts SET task_count = task_count + (SELECT count(*) FROM asked), webhook_count = webhook_count + (SELECT count(*) FROM asked)
      WHERE id = $1`,
    [owner.accountId, JSON.stringify(asked)],
  );
  await api.test.pool.query('SELECT recount_key_spend()');
}

const setState = (id: string, state: string) =>
  api.test.pool.query(
    `UPDATE webhook_deliveries SET state = $2, next_attempt_at = CASE $2 WHEN 'pending' THEN now() END,
       lease_until = CASE $2 WHEN 'sending' THEN now() END WHERE id = $1`,
    [id, state],
  );

test('pages and totals of webhooks are those of counting and skipping all, whatever became of them', async () => {
  const changes = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...STATES)), { maxLength: 20 });
  const statements = fc.array(fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 5 }), {
    maxLength: 5,
  });
  await fc.assert(
    fc.asyncProperty(statements, changes, fc.integer({ min: 1, max: 7 }), async (times, moves, perPage) => {
      for (const one of times) {
        await insertDeliveries(one);
      }
      for (const [n, state] of moves) {
        if (tasks > 0) {
          await setState(`msg_page${(n % tasks) + 1}`, state);
        }
      }
      for (const state of [null, ...STATES]) {
        const { rows } = await api.test.pool.query<{ id: string }>(
          `SELECT id FROM webhook_deliveries WHERE account_id = $1 AND ($2::text IS NULL OR state = $2) ORDER BY created_at DESC, id DESC`,
          [owner.accountId, state],
        );
        const page = 1 + ((moves.length * 7) % (1 + Math.ceil(rows.length / perPage)));
        const filter = state === null ? '' : `&state=${state}`;
        const { data } = await owner.get(`/webhooks?page=${page}&per_page=${perPage}${filter}`);
        const { items, pagination } = data as { items: { id: string }[]; pagination: { total: number } };
        expect({ ids: items.map(({ id }) => id), total: pagination.total }).toEqual({
          ids: rows.slice((page - 1) * perPage, page * perPage).map(({ id }) => id),
          total: rows.length,
        });
      }
    }),
    { numRuns: 10 },
  );
  // The tasks were inserted ended, which only these count.
  await api.test.pool.query('SELECT recount_hours()');
  await api.test.checkInvariants();
  await api.test.pool.query('SELECT recount()');
});
