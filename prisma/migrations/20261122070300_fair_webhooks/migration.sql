-- One snapshot for the triggers and for the counts that they begin with: nothing is written in between.
LOCK TABLE "accounts", "tasks", "webhook_deliveries" IN SHARE ROW EXCLUSIVE MODE;

-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "webhook_count" BIGINT NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "webhook_backlogs" (
    "account_id" TEXT NOT NULL,
    "hosts" INTEGER NOT NULL,
    "ended" BIGINT NOT NULL,

    CONSTRAINT "webhook_backlogs_pkey" PRIMARY KEY ("account_id")
);

-- CreateTable
CREATE TABLE "webhook_hosts" (
    "account_id" TEXT NOT NULL,
    "host_port" TEXT NOT NULL,
    "pending" INTEGER NOT NULL,

    CONSTRAINT "webhook_hosts_pkey" PRIMARY KEY ("account_id","host_port")
);

-- Due deliveries are looked for account by account, and within an account receiver by receiver, by jumping through these. Each
-- serves those statements that name its last term, which is true of every row that waits: where its last ANALYZE saw few rows,
-- PostgreSQL would take the one for the other. webhook_deliveries_hosts serves workers of the previous release only.
CREATE INDEX "webhook_deliveries_turns" ON "webhook_deliveries" (account_id, next_attempt_at) WHERE state = 'pending' AND attempt >= 0;
CREATE INDEX "webhook_deliveries_receivers" ON "webhook_deliveries" (account_id, host_port, next_attempt_at)
  WHERE state = 'pending' AND lease_until IS NULL;

-- Webhooks that an account has asked for and that have not ended yet are accounts.webhook_count - webhook_backlogs.ended. The
-- first only rises, under the lock of the account that every submission takes; the second is written by webhook workers, who
-- take no such lock. A submission that reads an old `ended` counts too many, never too few.
CREATE FUNCTION count_accepted_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE accounts c SET webhook_count = c.webhook_count + n.tasks
    FROM (SELECT account_id, count(*) AS tasks FROM added WHERE webhook_url IS NOT NULL GROUP BY account_id) n
   WHERE c.id = n.account_id AND c.id = ANY (ARRAY(SELECT account_id FROM added WHERE webhook_url IS NOT NULL));
  RETURN NULL;
END $$;
CREATE TRIGGER "tasks_webhooks" AFTER INSERT ON "tasks"
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_accepted_webhooks();

-- Adds to the counts of receivers and backlogs: `steps` to what waits for a receiver, `ends` to what has ended. Rows are locked
-- in one order in all processes, receivers first, so that two statements never wait for each other. A receiver that nothing waits
-- for has no row: one that is inserted (xmax = 0) is new, one that comes to zero is gone.
CREATE FUNCTION add_to_webhook_counts(of_accounts text[], of_hosts text[], steps int[], ends int[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH changed AS MATERIALIZED (
    SELECT account_id, host_port, sum(step)::int AS step, sum(ended)::int AS ended
      FROM unnest(of_accounts, of_hosts, steps, ends) AS c(account_id, host_port, step, ended) GROUP BY 1, 2),
  counted AS (
    INSERT INTO webhook_hosts AS h (account_id, host_port, pending)
    SELECT account_id, host_port, step FROM changed WHERE step <> 0 ORDER BY account_id, host_port
    ON CONFLICT (account_id, host_port) DO UPDATE SET pending = h.pending + EXCLUDED.pending
    RETURNING h.account_id, (h.xmax = 0)::int - (h.pending = 0)::int AS hosts)
  INSERT INTO webhook_backlogs AS b (account_id, hosts, ended)
  SELECT account_id, sum(hosts), sum(ended)
    FROM (SELECT account_id, hosts, 0 AS ended FROM counted UNION ALL SELECT account_id, 0, ended FROM changed) c
   GROUP BY account_id ORDER BY account_id
  ON CONFLICT (account_id) DO UPDATE SET hosts = b.hosts + EXCLUDED.hosts, ended = b.ended + EXCLUDED.ended;
  IF -1 = ANY (steps) THEN
    DELETE FROM webhook_hosts h USING unnest(of_accounts, of_hosts) AS c(account_id, host_port)
     WHERE h.account_id = c.account_id AND h.host_port = c.host_port AND h.account_id = ANY (of_accounts)
       AND h.host_port = ANY (of_hosts) AND h.pending = 0;
  END IF;
END $$;

CREATE FUNCTION count_new_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_to_webhook_counts(array_agg(account_id), array_agg(host_port),
            array_agg((state IN ('pending', 'sending'))::int), array_agg((state NOT IN ('pending', 'sending'))::int))
     FROM added HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER "webhook_deliveries_added" AFTER INSERT ON "webhook_deliveries"
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_new_webhooks();

CREATE FUNCTION count_changed_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_to_webhook_counts(array_agg(n.account_id), array_agg(n.host_port),
            array_agg(CASE WHEN n.state IN ('pending', 'sending') THEN 1 ELSE -1 END),
            array_agg(CASE WHEN n.state IN ('pending', 'sending') THEN -1 ELSE 1 END))
     FROM before o JOIN after n ON n.id = o.id
    WHERE (o.state IN ('pending', 'sending')) <> (n.state IN ('pending', 'sending')) HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER "webhook_deliveries_changed" AFTER UPDATE ON "webhook_deliveries"
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION count_changed_webhooks();

CREATE FUNCTION count_removed_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_to_webhook_counts(array_agg(account_id), array_agg(host_port), array_agg(-1), array_agg(0))
     FROM removed WHERE state IN ('pending', 'sending') HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER "webhook_deliveries_removed" AFTER DELETE ON "webhook_deliveries"
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_removed_webhooks();

INSERT INTO webhook_hosts (account_id, host_port, pending)
SELECT account_id, host_port, count(*) FROM webhook_deliveries WHERE state IN ('pending', 'sending') GROUP BY 1, 2;
INSERT INTO webhook_backlogs (account_id, hosts, ended) SELECT account_id, count(*), 0 FROM webhook_hosts GROUP BY 1;
UPDATE accounts a SET webhook_count = n.tasks
  FROM (SELECT account_id, sum(tasks) AS tasks
          FROM (SELECT account_id, pending AS tasks FROM webhook_hosts
                UNION ALL SELECT account_id, 1 FROM tasks WHERE status = 'pending' AND webhook_url IS NOT NULL) w
         GROUP BY account_id) n
 WHERE a.id = n.account_id;
