-- Judges the submits in `input`: `exceeded` has a row for each limit that one of them would exceed, and none for a submit that may be
-- made. The statement that inserts tasks locks the accounts where the mark stands; quotes and early refusals read without a lock.
WITH input AS (
  SELECT *,
         ordinality AS place
    FROM ROWS FROM (json_to_recordset($1::json) AS (
           /*= fields of the task */
           account text,
           key text,
           hold int8,
           host text,
           newest int,
           cap_key text,
           cap_value text,
           max_open_tasks int,
           max_deliveries int,
           max_hosts int,
           max_failed_tasks int,
           failed_tasks_seconds int
         )) WITH ORDINALITY
),

account AS MATERIALIZED (
  SELECT id,
         status,
         balance_micros - held_micros AS available,
         open_count,
         max_open_tasks,
         max_failed_tasks,
         failed_tasks_seconds,
         webhook_count
    FROM accounts
   WHERE id = ANY (ARRAY(SELECT account FROM input))
   ORDER BY id
   /*= lock */
),

-- Counters outside of the account's row. The lock refreshes that row alone. Counts of failed tasks and of hosts are those of the
-- statement's snapshot: they miss what ends during the wait for the lock. The function reads after the lock, in a snapshot of its own.
counted AS MATERIALIZED (
  SELECT a.id,
         a.status,
         a.available,
         a.open_count,
         a.max_open_tasks,
         COALESCE(a.max_failed_tasks, i.max_failed_tasks) AS max_failed_tasks,
         COALESCE(a.failed_tasks_seconds, i.failed_tasks_seconds) AS failed_tasks_seconds,
         COALESCE((SELECT f.total
                     FROM failed_task_counts f
                    WHERE f.account_id = a.id
                    ORDER BY f.starts_at DESC
                    LIMIT 1), 0) AS failed_total,
         -- Times are whole seconds: a task leaves the window up to a second early.
         COALESCE((SELECT f.total
                     FROM failed_task_counts f
                    WHERE f.account_id = a.id
                      AND f.starts_at <= now() - make_interval(secs => COALESCE(a.failed_tasks_seconds, i.failed_tasks_seconds))
                    ORDER BY f.starts_at DESC
                    LIMIT 1), 0) AS failed_before,
         CASE WHEN i.has_webhook THEN a.webhook_count - count_ended_webhooks(a.id) END AS pending_deliveries,
         CASE WHEN i.has_webhook
              THEN COALESCE((SELECT b.hosts FROM webhook_backlogs b WHERE b.account_id = a.id), 0)
         END AS pending_hosts
    FROM account a
   CROSS JOIN (SELECT min(max_failed_tasks) AS max_failed_tasks,
                      min(failed_tasks_seconds) AS failed_tasks_seconds,
                      bool_or(host IS NOT NULL) AS has_webhook
                 FROM input) i
),

-- What counts for the caps of keys. Both functions read it after the lock, in snapshots of their own.
capped AS MATERIALIZED (
  SELECT k.id,
         COALESCE(k.family, k.id) AS family,
         k.cap_day_micros,
         k.cap_month_micros,
         k.cap_total_micros,
         k.cap_per_key,
         k.cap_per_micros,
         s.day_micros,
         s.month_micros,
         s.total_micros
    FROM account a
    JOIN api_keys k ON k.account_id = a.id AND k.id = ANY (ARRAY(SELECT key FROM input))
    LEFT JOIN LATERAL (
      SELECT *
        FROM sum_key_spend(a.id, k.id, k.cap_total_micros IS NOT NULL)
       WHERE COALESCE(k.cap_day_micros, k.cap_month_micros, k.cap_total_micros) IS NOT NULL) s ON true
   WHERE COALESCE(k.cap_day_micros, k.cap_month_micros, k.cap_total_micros, k.cap_per_micros) IS NOT NULL
),
valued AS MATERIALIZED (
  SELECT k.id AS key,
         v.cap_value,
         k.cap_per_micros,
         sum_value_spend(v.account, k.id, decode(v.cap_value, 'hex')) AS value_micros
    FROM (SELECT DISTINCT account, key, cap_key, cap_value FROM input WHERE cap_value IS NOT NULL) v
    JOIN capped k ON k.id = v.key AND k.cap_per_key = v.cap_key
),

submit AS MATERIALIZED (
  SELECT i.place,
         i.account,
         i.key,
         i.hold,
         i.host,
         i.cap_value,
         i.newest,
         i.max_deliveries,
         i.max_hosts,
         a.status,
         a.available,
         a.open_count,
         COALESCE(a.max_open_tasks, i.max_open_tasks) AS max_open_tasks,
         a.max_failed_tasks,
         a.failed_tasks_seconds,
         a.failed_total,
         a.failed_total - a.failed_before AS failed_tasks,
         a.pending_deliveries,
         a.pending_hosts,
         COALESCE(k.family, i.key) AS family,
         k.cap_day_micros,
         k.cap_month_micros,
         k.cap_total_micros,
         k.day_micros,
         k.month_micros,
         k.total_micros,
         v.cap_per_micros,
         v.value_micros
    FROM input i
    LEFT JOIN counted a ON a.id = i.account
    LEFT JOIN capped k ON k.id = i.key
    LEFT JOIN valued v ON v.key = i.key AND v.cap_value = i.cap_value
),

-- A limit is exceeded where what is used and what is asked for come to more than the most; NULL is no limit. A refusal names the limit
-- with the lowest number. All numbers are int8: PostgreSQL would convert each row of other types in a step of its own.
exceeded AS MATERIALIZED (
  SELECT s.place,
         l.number,
         l.name,
         l.used,
         l.most,
         CASE WHEN l.name = 'failed_tasks' THEN s.failed_tasks_seconds END AS seconds,
         CASE WHEN l.name = 'failed_tasks'
              THEN (SELECT GREATEST(1, ceil(EXTRACT(EPOCH FROM f.starts_at - now()) + s.failed_tasks_seconds))::int
                      FROM failed_task_counts f
                     WHERE f.account_id = s.account
                       AND f.starts_at > now() - make_interval(secs => s.failed_tasks_seconds)
                       AND f.total > s.failed_total - s.max_failed_tasks
                     ORDER BY f.starts_at
                     LIMIT 1)
         END AS retry_seconds
    FROM submit s
   CROSS JOIN LATERAL (
      SELECT 1 AS number, 'known' AS name, 0::int8 AS used, 1::int8 AS asked, 0::int8 AS most WHERE s.status IS NULL
      UNION ALL SELECT 2, 'active', 0::int8, 1::int8, 0::int8 WHERE s.status <> 'active'
      UNION ALL SELECT 3, 'open_tasks', s.open_count::int8, 1::int8, s.max_open_tasks::int8
      UNION ALL SELECT 4, 'failed_tasks', s.failed_tasks, 1::int8, s.max_failed_tasks::int8
      UNION ALL SELECT 5, 'deliveries', s.pending_deliveries, 1::int8, s.max_deliveries::int8 WHERE s.host IS NOT NULL
      UNION ALL SELECT 6, 'hosts', s.pending_hosts::int8, 1::int8, s.max_hosts::int8
                 WHERE s.host IS NOT NULL
                   AND NOT EXISTS (SELECT FROM webhook_hosts h WHERE h.account_id = s.account AND h.host_port = s.host)
      UNION ALL SELECT 7, 'cap_day', s.day_micros, s.hold, s.cap_day_micros
      UNION ALL SELECT 8, 'cap_month', s.month_micros, s.hold, s.cap_month_micros
      UNION ALL SELECT 9, 'cap_total', s.total_micros, s.hold, s.cap_total_micros
      UNION ALL SELECT 10, 'cap_day_per', s.value_micros, s.hold, s.cap_per_micros
      UNION ALL SELECT 11, 'balance', 0::int8, s.hold, s.available
      UNION ALL SELECT 12, 'catalog', 0::int8, 1::int8, 0::int8
                 WHERE EXISTS (SELECT FROM catalog_versions v
                                WHERE v.id = s.newest + 1 AND v.created_at < now() - interval '4 seconds')
   ) l
   WHERE l.used + l.asked > l.most
)
