-- CreateTable
CREATE TABLE "task_inputs" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "task_id" TEXT,
    "remove_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "task_inputs_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "task_inputs_remove_at_idx" ON "task_inputs"("remove_at");

-- CreateIndex
CREATE INDEX "task_inputs_task_id_idx" ON "task_inputs"("task_id");

-- AddForeignKey
ALTER TABLE "task_inputs" ADD CONSTRAINT "task_inputs_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- The rest is written by hand: the schema language has no words for it.

-- Uploads of an account that no task uses: their number is bounded.
CREATE INDEX "task_inputs_unused" ON "task_inputs" (account_id) WHERE task_id IS NULL;
