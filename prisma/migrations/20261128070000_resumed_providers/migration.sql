-- When an operator last resumed a provider; workers read it with each report.
ALTER TABLE "provider_limits" ADD COLUMN "resumed_at" TIMESTAMPTZ(3);
