-- CreateTable
CREATE TABLE "installation" (
    "is_only" BOOLEAN NOT NULL DEFAULT true,
    "end_user_key" TEXT NOT NULL,

    CONSTRAINT "installation_pkey" PRIMARY KEY ("is_only")
);

-- The rest is written by hand: the schema language has no words for it.

ALTER TABLE "installation" ADD CONSTRAINT "installation_is_only" CHECK (is_only);

-- Two random ids hold 244 random bits, without an extension.
INSERT INTO "installation" (end_user_key) VALUES (gen_random_uuid()::text || gen_random_uuid()::text);
