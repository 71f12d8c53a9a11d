import type { Statement } from '../db/index.js';

/**
 * Hold and task in one statement. The account is updated first: measured two to three times faster on a hot account than
 * inserting the task first, and a refusal takes no lock. A taken idempotency key fails the whole statement, hold included.
 */
export const ACCEPT_TASK: Statement = {
  name: 'accept-task',
  text: `
WITH account AS (
  UPDATE accounts SET held_micros = held_micros + $2::bigint, task_count = task_count + 1, open_count = open_count + 1
   WHERE id = $1 AND status = 'active' AND balance_micros - held_micros >= $2::bigint
     AND open_count < COALESCE(max_open_tasks, $3::int)
  RETURNING id, open_count)
INSERT INTO tasks (id, account_id, api_key_id, request_id, model, type, prompt, negative_prompt, aspect_ratio, resolution,
                   num_outputs, duration, image_urls, webhook_url, unit_micros, hold_micros, idem_key, idem_fingerprint,
                   deadline_at)
SELECT $4, account.id, $5, $6, $7, $8, $9, $10, $11, $12, $13::int, $14::int, $15::text[], $16, $17::bigint, $2::bigint,
       $18, $19::bytea, now() + make_interval(secs => $20::double precision / 1000)
  FROM account
RETURNING created_at AS "createdAt", (SELECT open_count FROM account) AS "openCount"`,
};

/** Was the task with this id inserted? */
export const FIND_ACCEPTED: Statement = {
  name: 'find-accepted',
  text: 'SELECT created_at AS "createdAt" FROM tasks WHERE id = $1',
};

/** Which task an idempotency key of an account names; a key is good for 24 hours. */
export const FIND_BY_IDEMPOTENCY_KEY: Statement = {
  name: 'find-by-idempotency-key',
  text: `
SELECT id, idem_fingerprint AS fingerprint, created_at AS "createdAt",
       created_at <= now() - interval '24 hours' AS expired
  FROM tasks WHERE account_id = $1 AND idem_key = $2`,
};

/** Frees an expired idempotency key. */
export const CLEAR_IDEMPOTENCY_KEY: Statement = {
  name: 'clear-idempotency-key',
  text: `
UPDATE tasks SET idem_key = NULL, idem_fingerprint = NULL
 WHERE id = $1 AND idem_key = $2 AND created_at <= now() - interval '24 hours'`,
};

/** What stood against a request that was not accepted. */
export const EXPLAIN_REFUSAL: Statement = {
  name: 'explain-refusal',
  text: `
SELECT status, open_count AS "openCount", max_open_tasks AS "maxOpenTasks", balance_micros - held_micros AS available
  FROM accounts WHERE id = $1`,
};
