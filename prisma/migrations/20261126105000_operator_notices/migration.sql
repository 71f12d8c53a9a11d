-- CreateTable
CREATE TABLE "operator_notices" (
    "type" TEXT NOT NULL,
    "cause" TEXT NOT NULL,
    "starts_on" DATE NOT NULL,

    CONSTRAINT "operator_notices_pkey" PRIMARY KEY ("type","cause","starts_on")
);

-- The rest is written by hand: the schema language has no words for it.

-- Calls that were refused in a way that concerns operators: few of many. The statements that read them name the same classes.
CREATE INDEX "provider_calls_refused" ON "provider_calls" (created_at)
  WHERE detail IN ('moderation', 'auth', 'billing', 'quota', 'model-quota', 'no-access', 'model-gone', 'geo');
