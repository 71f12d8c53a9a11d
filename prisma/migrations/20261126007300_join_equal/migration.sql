-- Whether equal requests of the key to the OpenAI-compatible facade share the task under way.
ALTER TABLE "api_keys" ADD COLUMN "join_equal" BOOLEAN NOT NULL DEFAULT false;

-- True while no second task may be inserted for an equal request of the key. The default lets the previous release insert rows.
ALTER TABLE "facade_requests" ADD COLUMN "is_sole" BOOLEAN NOT NULL DEFAULT false;
CREATE UNIQUE INDEX "facade_requests_sole" ON "facade_requests"("api_key_id", "fingerprint") WHERE "is_sole";
