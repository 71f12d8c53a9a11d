-- CreateTable
CREATE TABLE "provider_keys" (
    "name" TEXT NOT NULL,
    "protocol" TEXT NOT NULL,
    "host_port" TEXT NOT NULL,
    "encryption_key_id" TEXT NOT NULL,
    "nonce" BYTEA NOT NULL,
    "sealed" BYTEA NOT NULL,
    "last_four" TEXT NOT NULL,
    "tested" BOOLEAN NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "provider_keys_pkey" PRIMARY KEY ("name")
);
