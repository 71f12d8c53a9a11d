-- AlterTable
ALTER TABLE "link_mails" ADD COLUMN     "user_id" TEXT;

-- The rest is written by hand: the schema language has no words for it.

-- A new address of a user is confirmed by a link, and the one before is told of it.
ALTER TABLE "link_mails"
  DROP CONSTRAINT "link_mails_kind",
  DROP CONSTRAINT "link_mails_password",
  ADD CONSTRAINT "link_mails_kind" CHECK (kind IN ('reset', 'sign-up', 'email', 'email-changed')),
  ADD CONSTRAINT "link_mails_password" CHECK ((kind IN ('sign-up', 'email')) = (password_hash IS NOT NULL)),
  ADD CONSTRAINT "link_mails_user" CHECK ((kind = 'email') = (user_id IS NOT NULL));
