import type { Database, Statement } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import { checkEmail, takeEmail } from './check-email.js';
import { type LinkUse, overLink, readEmailToken } from './mail-tokens.js';

type Runner = Pick<Database, 'run'>;

// The author of a change by a link is the user, by the new address. The account follows where it has the address before, as do
// mailboxes of events. All sessions end, and links that were mailed to the address before: who has that mailbox only can do
// nothing any more.
const buildStatement = (name: string, target: string): Statement => ({
  name,
  text: `
WITH ${target},
changed AS (
  UPDATE auth_users u SET email = $1, email_verified = $2::bool, updated_at = now() FROM target t WHERE u.id = t.id RETURNING u.id),
account AS (UPDATE accounts a SET email = $1 FROM target t WHERE a.id = t.account_id AND a.email = t.old),
mailboxes AS (
  UPDATE endpoints e SET url = 'mailto:' || $1 FROM target t
   WHERE e.account_id IS NOT DISTINCT FROM t.account_id AND lower(e.url) = 'mailto:' || t.old),
links AS (DELETE FROM auth_verifications v USING target t WHERE v.identifier LIKE 'reset:%' AND v.value = t.id),
ended AS (DELETE FROM auth_sessions s USING target t WHERE s.user_id = t.id),
notice AS (INSERT INTO link_mails (id, kind, address) SELECT $3, 'email-changed', t.old FROM target t WHERE $3::text IS NOT NULL),
audit AS (
  INSERT INTO audit_entries (id, action, subject, detail)
  SELECT $4, 'user.change-email', t.id, jsonb_strip_nulls(jsonb_build_object('actor', COALESCE($5, $1), 'address', $6::text,
         'email', $1, 'before', jsonb_build_object('email', t.old)))
    FROM target t JOIN changed c ON c.id = t.id)
SELECT id FROM changed`,
});

const CHANGE_BY_TOKEN = buildStatement(
  'change-email-by-token',
  `used AS (DELETE FROM auth_verifications WHERE identifier = $7 AND expires_at > now() RETURNING identifier),
target AS (
  SELECT u.id, u.email AS old, c.id AS account_id FROM used CROSS JOIN auth_users u
    JOIN auth_accounts a ON a.user_id = u.id AND a.provider_id = 'credential' AND a.password = $9
    LEFT JOIN account_users o ON o.user_id = u.id LEFT JOIN accounts c ON c.id = o.account_id
   WHERE u.id = $8 AND NOT u.banned AND COALESCE(c.status = 'active', true))`,
);

const CHANGE_BY_OPERATOR = buildStatement(
  'change-email-by-operator',
  `target AS (
  SELECT u.id, u.email AS old, o.account_id FROM auth_users u LEFT JOIN account_users o ON o.user_id = u.id
   WHERE (u.id = $7 OR u.email = $7) AND o.account_id IS NOT DISTINCT FROM $8 AND (u.role = 'operator') = ($8::text IS NULL))`,
);

/**
 * Gives a user the new address of a link, and tells the one before by mail. A link is over with the password by which it was asked
 * for. Throws AppError `BAD_REQUEST` for the link, `VALIDATION_ERROR` for the password, and EmailTakenError.
 */
export async function changeEmailByToken(
  db: Runner,
  { ip, ...use }: LinkUse & { readonly ip: string },
): Promise<void> {
  const { identifier, userId, email, passwordHash } = await readEmailToken(db, use);
  const audit = [newId('aud'), null, ip];
  const values = [email, true, newId('msg'), ...audit, identifier, userId, passwordHash];
  if ((await takeEmail(email, () => db.run(CHANGE_BY_TOKEN, values))).length === 0) {
    throw overLink();
  }
}

/** User whose address an operator changes. */
export interface UserToMove {
  /** Account of the user; null for operators. */
  readonly accountId: string | null;
  /** Id or present address. */
  readonly user: string;
  readonly email: string;
  /** True where the address before is told by mail, which takes SMTP_URL. */
  readonly sendsMail: boolean;
  /** Author of the change, for the audit log. */
  readonly actor: string;
}

/** Gives a user another address, which nobody confirms. Throws AppError `VALIDATION_ERROR`, `NOT_FOUND`, and EmailTakenError. */
export async function changeEmail(
  db: Runner,
  { accountId, user, email: given, sendsMail, actor }: UserToMove,
): Promise<{ readonly email: string }> {
  const email = checkEmail(given);
  const audit = [newId('aud'), actor, null];
  const values = [email, false, sendsMail ? newId('msg') : null, ...audit, user, accountId];
  if ((await takeEmail(email, () => db.run(CHANGE_BY_OPERATOR, values))).length === 0) {
    throw new AppError('NOT_FOUND', { publicMessage: `There is no such user: ${user}.` });
  }
  return { email };
}
