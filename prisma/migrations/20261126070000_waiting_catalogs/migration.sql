-- CreateTable
CREATE TABLE "waiting_catalogs" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "source" TEXT,
    "from_version" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "waiting_catalogs_pkey" PRIMARY KEY ("id")
);

-- The rest is written by hand: the schema language has no words for it.

ALTER TABLE "waiting_catalogs" ADD CONSTRAINT "waiting_catalogs_one" CHECK (id = 1);
