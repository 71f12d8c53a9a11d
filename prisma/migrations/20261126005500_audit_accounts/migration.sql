-- AlterTable
ALTER TABLE "audit_entries" ADD COLUMN     "account_id" TEXT;

-- The rest is written by hand: the schema language has no words for it.

-- A change by an owner, also the sign-up of one, belongs to the owner's account; one by operators or the command line to none. The trigger
-- decides it for every statement that writes an entry, those of the previous release included.
CREATE OR REPLACE FUNCTION set_audit_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.account_id := CASE NEW.detail ->> 'actor' WHEN 'sign-up' THEN NEW.subject
    ELSE (SELECT o.account_id FROM auth_users u JOIN account_users o ON o.user_id = u.id
           WHERE u.email = NEW.detail ->> 'actor' AND u.role = 'owner') END;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER audit_entries_account BEFORE INSERT ON audit_entries FOR EACH ROW EXECUTE FUNCTION set_audit_account();

UPDATE "audit_entries" SET account_id = subject WHERE detail ->> 'actor' = 'sign-up';
UPDATE "audit_entries" e SET account_id = o.account_id FROM auth_users u JOIN account_users o ON o.user_id = u.id
 WHERE u.email = e.detail ->> 'actor' AND u.role = 'owner';

-- Pages of the audit log go on after a place. Those of one kind have an index of their own, so that many entries of the other do not slow them down.
DROP INDEX "audit_entries_created_at_idx";
DROP INDEX "audit_entries_subject_created_at_idx";

-- CreateIndex
CREATE INDEX "audit_entries_created_at_id_idx" ON "audit_entries"("created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "audit_entries_subject_created_at_id_idx" ON "audit_entries"("subject", "created_at" DESC, "id" DESC);
CREATE INDEX "audit_entries_of_operators" ON "audit_entries"("created_at" DESC, "id" DESC) WHERE account_id IS NULL;
CREATE INDEX "audit_entries_of_owners" ON "audit_entries"("created_at") WHERE account_id IS NOT NULL;

-- CreateIndex
CREATE INDEX "accounts_created_at_id_idx" ON "accounts"("created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "auth_sessions_expires_at_idx" ON "auth_sessions"("expires_at");

-- CreateIndex
CREATE INDEX "auth_verifications_expires_at_idx" ON "auth_verifications"("expires_at");

-- Keys that have ended, by when.
CREATE INDEX "api_keys_ended" ON "api_keys"((LEAST(revoked_at, expires_at))) WHERE LEAST(revoked_at, expires_at) IS NOT NULL;
