-- A time with five digits in its year is none to the processes: one such key kept the keys of its account from being listed.
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_expires_at" CHECK (expires_at < '10000-01-01 00:00:00+00') NOT VALID;
UPDATE "api_keys" SET expires_at = '9999-12-31 23:59:59.999+00' WHERE expires_at >= '10000-01-01 00:00:00+00';
ALTER TABLE "api_keys" VALIDATE CONSTRAINT "api_keys_expires_at";

-- No address has been confirmed so far.
UPDATE "auth_users" SET email_verified = false WHERE email_verified;
