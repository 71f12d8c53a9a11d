-- Owners see the reason of an adjustment only where the operator said so.
ALTER TABLE "ledger_transfers" ADD COLUMN "is_shown" BOOLEAN NOT NULL DEFAULT false;
