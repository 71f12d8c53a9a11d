-- CreateTable
CREATE TABLE "link_mails" (
    "id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "password_hash" TEXT,
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "link_mails_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "link_mails_next_attempt_at_idx" ON "link_mails"("next_attempt_at");

-- The rest is written by hand: the schema language has no words for it.

ALTER TABLE "link_mails"
  ADD CONSTRAINT "link_mails_kind" CHECK (kind IN ('reset', 'sign-up')),
  ADD CONSTRAINT "link_mails_password" CHECK ((kind = 'sign-up') = (password_hash IS NOT NULL));
