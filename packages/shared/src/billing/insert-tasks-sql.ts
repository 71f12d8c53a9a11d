import type { Statement } from '../db/index.js';

/**
 * Holds and inserts many tasks in one statement. Each account is locked once, in the order of ids; its requests are taken in
 * order while money and open places last, those that could never fit set aside first. The caller is told for each row when
 * it was inserted, if it was, and whether its account could be locked at all.
 * Nothing is counted from other tables: the lock refreshes the account's row, not the snapshot.
 */
const insertTasks = (name: string, locking: string): Statement => ({
  name,
  text: `
WITH asked AS (
  SELECT * FROM ROWS FROM (json_to_recordset($1::json) AS (
    id text, account text, hold int8, key text, request text, model text, type text, prompt text, negative text,
    ratio text, resolution text, outputs int, duration int, images json, webhook text, unit int8, idem text,
    fingerprint text)) WITH ORDINALITY AS r(id, account, hold, key, request, model, type, prompt, negative,
    ratio, resolution, outputs, duration, images, webhook, unit, idem, fingerprint, place)),
locked AS MATERIALIZED (
  SELECT id, balance_micros - held_micros AS free, open_count, max_open_tasks FROM accounts
   WHERE id = ANY (ARRAY(SELECT account FROM asked)) AND status = 'active' ORDER BY id FOR NO KEY UPDATE ${locking}),
fitting AS (
  SELECT a.*, l.free, l.open_count, COALESCE(l.max_open_tasks, $2::int) AS most, sum(a.hold) OVER turns AS total,
         row_number() OVER turns AS turn
    FROM asked a JOIN locked l ON l.id = a.account WHERE a.hold <= l.free
  WINDOW turns AS (PARTITION BY a.account ORDER BY a.place)),
taken AS (SELECT * FROM fitting WHERE total <= free AND open_count + turn <= most),
held AS (
  UPDATE accounts c SET held_micros = c.held_micros + t.hold, task_count = c.task_count + t.tasks,
                        open_count = c.open_count + t.tasks
    FROM (SELECT account, sum(hold)::int8 AS hold, count(*)::int AS tasks FROM taken GROUP BY account) t
   WHERE c.id = t.account AND c.id = ANY (ARRAY(SELECT account FROM taken))),
inserted AS (
  INSERT INTO tasks (id, account_id, api_key_id, request_id, model, type, prompt, negative_prompt, aspect_ratio,
                     resolution, num_outputs, duration, image_urls, webhook_url, unit_micros, hold_micros, idem_key,
                     idem_fingerprint, deadline_at)
  SELECT id, account, key, request, model, type, prompt, negative, ratio, resolution, outputs, duration,
         ARRAY(SELECT json_array_elements_text(images)), webhook, unit, hold, idem, decode(fingerprint, 'hex'),
         now() + make_interval(secs => $3::double precision / 1000)
    FROM taken
  RETURNING id, created_at)
SELECT i.created_at AS "createdAt", (t.open_count + t.turn)::int AS "openCount", l.id IS NOT NULL AS locked
  FROM asked a LEFT JOIN inserted i ON i.id = a.id LEFT JOIN taken t ON t.id = a.id LEFT JOIN locked l ON l.id = a.account
 ORDER BY a.place`,
});

/** Leaves out the accounts that somebody else holds at the moment: never waits. */
export const INSERT_TASKS: Statement = insertTasks('insert-tasks', 'SKIP LOCKED');

/** Waits for the accounts. */
export const INSERT_TASKS_WAITING: Statement = insertTasks('insert-tasks-waiting', '');
