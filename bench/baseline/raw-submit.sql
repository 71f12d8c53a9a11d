-- $1: id of the account, $2: the prompt.
WITH account AS (
  UPDATE accounts
     SET held_micros = held_micros + 10000,
         task_count = task_count + 1,
         open_count = open_count + 1
   WHERE id = $1
     AND balance_micros - held_micros >= 10000
  RETURNING id
)
INSERT INTO tasks (
         id,
         account_id,
         api_key_id,
         request_id,
         model,
         type,
         prompt,
         aspect_ratio,
         resolution,
         num_outputs,
         image_urls,
         unit_micros,
         hold_micros,
         deadline_at
       )
SELECT 'gen_' || new.id,
       account.id,
       'key_raw',
       'req_' || new.id,
       'nanobanana',
       'image_generate',
       $2,
       '16:9',
       '1k',
       1,
       '{}',
       10000,
       10000,
       now() + interval '1 day'
  FROM account,
       (SELECT replace(gen_random_uuid()::text, '-', '') AS id) AS new
RETURNING id, created_at
