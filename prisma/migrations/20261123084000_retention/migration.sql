-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "retention_days" INTEGER;

-- CreateTable
CREATE TABLE "retention_marks" (
    "account_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "task_id" TEXT NOT NULL,

    CONSTRAINT "retention_marks_pkey" PRIMARY KEY ("account_id")
);

-- The rest is written by hand: the schema language has no words for it.

-- NOT VALID: the column is new, and a check of all rows would hold up submits.
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_retention_days" CHECK (retention_days > 0) NOT VALID;
