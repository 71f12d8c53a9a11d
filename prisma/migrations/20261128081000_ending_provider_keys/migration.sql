-- CreateTable
CREATE TABLE "ending_provider_keys" (
    "name" TEXT NOT NULL,
    "nonce" BYTEA NOT NULL,
    "protocol" TEXT NOT NULL,
    "host_port" TEXT NOT NULL,
    "encryption_key_id" TEXT NOT NULL,
    "sealed" BYTEA NOT NULL,
    "last_four" TEXT NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ending_provider_keys_pkey" PRIMARY KEY ("name","nonce")
);
