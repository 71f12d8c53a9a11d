-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "accounts" (
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'active',
    "balance_micros" BIGINT NOT NULL DEFAULT 0,
    "held_micros" BIGINT NOT NULL DEFAULT 0,
    "task_count" BIGINT NOT NULL DEFAULT 0,
    "open_count" INTEGER NOT NULL DEFAULT 0,
    "usage_count" BIGINT NOT NULL DEFAULT 0,
    "webhook_secret" TEXT NOT NULL,
    "webhook_secret_previous" TEXT,
    "webhook_secret_previous_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "name" TEXT NOT NULL DEFAULT '',
    "prefix" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tasks" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "api_key_id" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "prompt" TEXT NOT NULL,
    "negative_prompt" TEXT,
    "aspect_ratio" TEXT NOT NULL,
    "resolution" TEXT NOT NULL,
    "num_outputs" INTEGER NOT NULL,
    "duration" INTEGER,
    "image_urls" TEXT[],
    "webhook_url" TEXT,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "phase" TEXT NOT NULL DEFAULT 'queued',
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "settled_attempt" INTEGER,
    "stored_count" INTEGER NOT NULL DEFAULT 0,
    "call_count" INTEGER NOT NULL DEFAULT 0,
    "worker_id" TEXT,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lease_until" TIMESTAMPTZ(3),
    "deadline_at" TIMESTAMPTZ(3) NOT NULL,
    "unit_micros" BIGINT NOT NULL,
    "hold_micros" BIGINT NOT NULL,
    "cost_micros" BIGINT NOT NULL DEFAULT 0,
    "idem_key" TEXT,
    "idem_fingerprint" BYTEA,
    "error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "tasks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "task_outputs" (
    "task_id" TEXT NOT NULL,
    "index" INTEGER NOT NULL,
    "slot" INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "bytes" INTEGER NOT NULL,
    "width" INTEGER NOT NULL,
    "height" INTEGER NOT NULL,
    "sha256" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "task_outputs_pkey" PRIMARY KEY ("task_id","index")
);

-- CreateTable
CREATE TABLE "ledger_transfers" (
    "id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "debit_account" TEXT NOT NULL,
    "credit_account" TEXT NOT NULL,
    "amount_micros" BIGINT NOT NULL,
    "account_id" TEXT NOT NULL,
    "task_id" TEXT,
    "external_ref" TEXT,
    "reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ledger_transfers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usage_records" (
    "id" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "api_key_id" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "units" INTEGER NOT NULL,
    "cost_micros" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "usage_records_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usage_daily" (
    "account_id" TEXT NOT NULL,
    "api_key_id" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "units" BIGINT NOT NULL,
    "cost_micros" BIGINT NOT NULL,
    "requests" BIGINT NOT NULL,

    CONSTRAINT "usage_daily_pkey" PRIMARY KEY ("account_id","day","model","api_key_id")
);

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "id" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "host_port" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'pending',
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3),
    "last_status" INTEGER,
    "last_error" TEXT,
    "delivered_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "provider_calls" (
    "id" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "attempt" INTEGER NOT NULL,
    "provider" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "images_asked" INTEGER NOT NULL,
    "slots" INTEGER[],
    "provider_request_id" TEXT,
    "key_fingerprint" TEXT,
    "state" TEXT NOT NULL,
    "detail" TEXT,
    "cost_micros" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "provider_calls_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "orphan_checks" (
    "task_id" TEXT NOT NULL,
    "round" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "orphan_checks_pkey" PRIMARY KEY ("task_id")
);

-- CreateTable
CREATE TABLE "audit_entries" (
    "id" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "detail" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "auth_users" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "email_verified" BOOLEAN NOT NULL DEFAULT false,
    "image" TEXT,
    "role" TEXT NOT NULL DEFAULT 'owner',
    "banned" BOOLEAN NOT NULL DEFAULT false,
    "ban_reason" TEXT,
    "ban_expires" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "auth_users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "auth_sessions" (
    "id" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ip_address" TEXT,
    "user_agent" TEXT,
    "impersonated_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "auth_sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "auth_accounts" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "provider_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "access_token" TEXT,
    "refresh_token" TEXT,
    "id_token" TEXT,
    "access_token_expires_at" TIMESTAMPTZ(3),
    "refresh_token_expires_at" TIMESTAMPTZ(3),
    "scope" TEXT,
    "password" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "auth_accounts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "auth_verifications" (
    "id" TEXT NOT NULL,
    "identifier" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "auth_verifications_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "account_users" (
    "account_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,

    CONSTRAINT "account_users_pkey" PRIMARY KEY ("account_id","user_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "accounts_email_key" ON "accounts"("email");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_hash_key" ON "api_keys"("hash");

-- CreateIndex
CREATE INDEX "api_keys_account_id_created_at_idx" ON "api_keys"("account_id", "created_at");

-- CreateIndex
CREATE INDEX "tasks_account_id_created_at_id_idx" ON "tasks"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "task_outputs_task_id_slot_key" ON "task_outputs"("task_id", "slot");

-- CreateIndex
CREATE INDEX "ledger_transfers_account_id_created_at_idx" ON "ledger_transfers"("account_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "usage_records_task_id_key" ON "usage_records"("task_id");

-- CreateIndex
CREATE INDEX "usage_records_account_id_created_at_id_idx" ON "usage_records"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "webhook_deliveries_task_id_key" ON "webhook_deliveries"("task_id");

-- CreateIndex
CREATE INDEX "provider_calls_task_id_created_at_idx" ON "provider_calls"("task_id", "created_at");

-- CreateIndex
CREATE INDEX "orphan_checks_due_at_idx" ON "orphan_checks"("due_at");

-- CreateIndex
CREATE INDEX "audit_entries_created_at_idx" ON "audit_entries"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "auth_users_email_key" ON "auth_users"("email");

-- CreateIndex
CREATE UNIQUE INDEX "auth_sessions_token_key" ON "auth_sessions"("token");

-- CreateIndex
CREATE INDEX "auth_sessions_user_id_idx" ON "auth_sessions"("user_id");

-- CreateIndex
CREATE INDEX "auth_accounts_user_id_idx" ON "auth_accounts"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "auth_accounts_provider_id_account_id_key" ON "auth_accounts"("provider_id", "account_id");

-- CreateIndex
CREATE INDEX "auth_verifications_identifier_idx" ON "auth_verifications"("identifier");

-- CreateIndex
CREATE UNIQUE INDEX "account_users_user_id_key" ON "account_users"("user_id");

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "task_outputs" ADD CONSTRAINT "task_outputs_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ledger_transfers" ADD CONSTRAINT "ledger_transfers_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "usage_records" ADD CONSTRAINT "usage_records_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "provider_calls" ADD CONSTRAINT "provider_calls_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "auth_sessions" ADD CONSTRAINT "auth_sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "auth_users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "auth_accounts" ADD CONSTRAINT "auth_accounts_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "auth_users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "account_users" ADD CONSTRAINT "account_users_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "account_users" ADD CONSTRAINT "account_users_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "auth_users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;



-- What follows is written by hand: the schema language has no words for it.

-- Hot rows: room on the page for updates that change no index.
ALTER TABLE "accounts" SET (fillfactor = 50);
ALTER TABLE "tasks" SET (fillfactor = 80);

-- Times from the schema's defaults are those of the statement's transaction.

-- accounts
ALTER TABLE "accounts"
  ADD CONSTRAINT "accounts_status" CHECK (status IN ('active', 'suspended')),
  ADD CONSTRAINT "accounts_balance" CHECK (balance_micros >= 0),
  ADD CONSTRAINT "accounts_held" CHECK (held_micros >= 0 AND held_micros <= balance_micros),
  ADD CONSTRAINT "accounts_counts" CHECK (task_count >= 0 AND open_count >= 0 AND usage_count >= 0);

-- tasks
ALTER TABLE "tasks"
  ADD CONSTRAINT "tasks_status" CHECK (status IN ('pending', 'completed', 'failed')),
  ADD CONSTRAINT "tasks_phase" CHECK (phase IN ('queued', 'running', 'done')),
  ADD CONSTRAINT "tasks_type" CHECK (type IN ('image_generate', 'image_edit')),
  ADD CONSTRAINT "tasks_done" CHECK ((status = 'pending') = (phase <> 'done')),
  ADD CONSTRAINT "tasks_completed_at" CHECK ((status = 'pending') = (completed_at IS NULL)),
  ADD CONSTRAINT "tasks_settled_attempt" CHECK ((status = 'pending') = (settled_attempt IS NULL)),
  ADD CONSTRAINT "tasks_lease" CHECK ((phase = 'running') = (lease_until IS NOT NULL)),
  ADD CONSTRAINT "tasks_error" CHECK ((status = 'failed') = (error IS NOT NULL)),
  ADD CONSTRAINT "tasks_times" CHECK (started_at >= created_at AND completed_at >= COALESCE(started_at, created_at)),
  ADD CONSTRAINT "tasks_prices" CHECK (unit_micros > 0 AND hold_micros = unit_micros * num_outputs),
  ADD CONSTRAINT "tasks_cost" CHECK (cost_micros = CASE status WHEN 'completed' THEN unit_micros * stored_count ELSE 0 END),
  ADD CONSTRAINT "tasks_completed" CHECK (status <> 'completed' OR stored_count > 0),
  ADD CONSTRAINT "tasks_counts" CHECK (attempt >= 0 AND tries >= 0 AND call_count >= 0 AND stored_count BETWEEN 0 AND num_outputs),
  ADD CONSTRAINT "tasks_idem" CHECK ((idem_key IS NULL) = (idem_fingerprint IS NULL));

CREATE UNIQUE INDEX "tasks_idem_key" ON "tasks" (account_id, idem_key) WHERE idem_key IS NOT NULL;
CREATE INDEX "tasks_due" ON "tasks" (due_at) WHERE status = 'pending' AND phase = 'queued';
CREATE INDEX "tasks_lease" ON "tasks" (lease_until) WHERE status = 'pending' AND phase = 'running';
CREATE INDEX "tasks_deadline" ON "tasks" (deadline_at) WHERE status = 'pending';

-- A finished task never changes again; only its idempotency key may be cleared, when it has expired.
CREATE FUNCTION refuse_change_of_finished_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.idem_key IS NULL
     AND (to_jsonb(NEW) - 'idem_key' - 'idem_fingerprint') = (to_jsonb(OLD) - 'idem_key' - 'idem_fingerprint') THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'task % is finished and cannot change', OLD.id USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER "tasks_finished" BEFORE UPDATE ON "tasks"
  FOR EACH ROW WHEN (OLD.status <> 'pending') EXECUTE FUNCTION refuse_change_of_finished_task();

-- The fence and the counters only rise.
CREATE FUNCTION refuse_falling_task_counters() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'attempt, stored_count and call_count of task % never fall', OLD.id USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER "tasks_rising" BEFORE UPDATE ON "tasks"
  FOR EACH ROW WHEN (NEW.attempt < OLD.attempt OR NEW.stored_count < OLD.stored_count OR NEW.call_count < OLD.call_count)
  EXECUTE FUNCTION refuse_falling_task_counters();

-- task_outputs
ALTER TABLE "task_outputs"
  ADD CONSTRAINT "task_outputs_index" CHECK (index >= 0 AND slot >= 0),
  ADD CONSTRAINT "task_outputs_size" CHECK (bytes > 0 AND width > 0 AND height > 0);

-- ledger_transfers
ALTER TABLE "ledger_transfers"
  ADD CONSTRAINT "ledger_transfers_amount" CHECK (amount_micros > 0),
  ADD CONSTRAINT "ledger_transfers_kind" CHECK (CASE kind
    WHEN 'topup' THEN debit_account = 'cash' AND credit_account = 'cust:' || account_id
    WHEN 'capture' THEN debit_account = 'cust:' || account_id AND credit_account = 'revenue' AND task_id IS NOT NULL
    WHEN 'refund' THEN debit_account = 'revenue' AND credit_account = 'cust:' || account_id AND task_id IS NOT NULL
    WHEN 'adjust' THEN (debit_account = 'revenue' AND credit_account = 'cust:' || account_id)
                    OR (debit_account = 'cust:' || account_id AND credit_account = 'revenue')
    ELSE false END);

CREATE UNIQUE INDEX "ledger_transfers_capture" ON "ledger_transfers" (task_id) WHERE kind = 'capture';
CREATE UNIQUE INDEX "ledger_transfers_refund" ON "ledger_transfers" (task_id) WHERE kind = 'refund';
CREATE UNIQUE INDEX "ledger_transfers_external_ref" ON "ledger_transfers" (external_ref) WHERE external_ref IS NOT NULL;

-- What was booked stays booked: mistakes are mended by a transfer in the other direction.
CREATE FUNCTION refuse_change_of_books() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER "ledger_transfers_append_only" BEFORE UPDATE OR DELETE ON "ledger_transfers"
  FOR EACH ROW EXECUTE FUNCTION refuse_change_of_books();
CREATE TRIGGER "usage_records_append_only" BEFORE UPDATE OR DELETE ON "usage_records"
  FOR EACH ROW EXECUTE FUNCTION refuse_change_of_books();

-- usage_records
ALTER TABLE "usage_records" ADD CONSTRAINT "usage_records_units" CHECK (units > 0 AND cost_micros >= 0);

-- webhook_deliveries
ALTER TABLE "webhook_deliveries"
  ADD CONSTRAINT "webhook_deliveries_state" CHECK (state IN ('pending', 'sending', 'delivered', 'failed')),
  ADD CONSTRAINT "webhook_deliveries_due" CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL)),
  ADD CONSTRAINT "webhook_deliveries_lease" CHECK ((state = 'sending') = (lease_until IS NOT NULL)),
  ADD CONSTRAINT "webhook_deliveries_attempt" CHECK (attempt >= 0);
CREATE INDEX "webhook_deliveries_next" ON "webhook_deliveries" (next_attempt_at) WHERE state = 'pending';
CREATE INDEX "webhook_deliveries_leases" ON "webhook_deliveries" (lease_until) WHERE state = 'sending';

-- provider_calls
ALTER TABLE "provider_calls"
  ADD CONSTRAINT "provider_calls_state" CHECK (state IN
    ('started', 'submitted', 'succeeded', 'short', 'unusable', 'failed', 'rate_limited', 'refused', 'unknown', 'cut')),
  ADD CONSTRAINT "provider_calls_slots" CHECK (images_asked = cardinality(slots) AND images_asked > 0);
CREATE UNIQUE INDEX "provider_calls_request" ON "provider_calls" (provider, provider_request_id) WHERE provider_request_id IS NOT NULL;

-- log-ins
ALTER TABLE "auth_users" ADD CONSTRAINT "auth_users_role" CHECK (role IN ('owner', 'operator'));
