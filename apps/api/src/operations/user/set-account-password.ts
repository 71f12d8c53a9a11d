import { type Database, isUniqueViolation, type Statement } from '@image-gateway/shared/db';
import { AppError, notFound } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import { checkEmail } from './check-email.js';
import { checkPassword } from './check-password.js';
import { hashPassword } from './hash-password.js';

/** Log-in of an account. */
export interface AccountLogIn {
  readonly accountId: string;
  readonly email: string;
  readonly password: string;
  /** Author of the change, for the audit log. */
  readonly actor: string;
}

// A user of the account gets the password; an address that nobody has becomes a user of the account.
const SET_ACCOUNT_PASSWORD: Statement = {
  name: 'set-account-password',
  text: `
WITH account AS (SELECT id FROM accounts WHERE id = $1),
known AS (
  SELECT u.id, u.role = 'owner' AND EXISTS (SELECT FROM account_users o WHERE o.user_id = u.id AND o.account_id = $1) AS own
    FROM auth_users u WHERE u.email = $2),
fresh AS (
  INSERT INTO auth_users (id, name, email, email_verified, role)
  SELECT $3, split_part($2, '@', 1), $2, false, 'owner' FROM account WHERE NOT EXISTS (SELECT FROM known) RETURNING id),
credential AS (
  INSERT INTO auth_accounts (id, account_id, provider_id, user_id, password)
  SELECT $4, id, 'credential', id, $5 FROM fresh),
owned AS (INSERT INTO account_users (account_id, user_id) SELECT $1, id FROM fresh),
changed AS (
  UPDATE auth_accounts SET password = $5, updated_at = now()
   WHERE provider_id = 'credential' AND user_id IN (SELECT id FROM known WHERE own) RETURNING user_id),
ended AS (DELETE FROM auth_sessions WHERE user_id IN (SELECT user_id FROM changed)),
audit AS (
  INSERT INTO audit_entries (id, action, subject, detail)
  SELECT $6, 'account.set-password', $1, $7::jsonb WHERE EXISTS (SELECT FROM fresh) OR EXISTS (SELECT FROM changed))
SELECT COALESCE((SELECT id FROM fresh), (SELECT user_id FROM changed)) AS "userId" FROM account`,
};

/**
 * Sets the password of a user of an account, who is created if nobody has the address, and ends all sessions of the user. Throws
 * AppError `VALIDATION_ERROR`, `NOT_FOUND`, and `BAD_REQUEST` for an address of another account's user or an operator.
 */
export async function setAccountPassword(
  { db }: { readonly db: Pick<Database, 'run'> },
  { accountId, email: given, password, actor }: AccountLogIn,
): Promise<{ readonly userId: string; readonly email: string }> {
  const email = checkEmail(given);
  checkPassword(password);
  const taken = new AppError('BAD_REQUEST', {
    publicMessage: `The e-mail address ${email} is that of another user.`,
  });
  const audit = [newId('aud'), JSON.stringify({ actor, email })];
  const values = [accountId, email, newId('usr'), newId('usr'), await hashPassword(password), ...audit];
  const rows = await db
    .run<{ userId: string | null }>(SET_ACCOUNT_PASSWORD, values)
    .catch((error: unknown) => {
      throw isUniqueViolation(error, 'auth_users_email_key') ? taken : error;
    });
  const [row] = rows;
  if (!row) {
    throw notFound('account', accountId);
  }
  if (row.userId === null) {
    throw taken;
  }
  return { userId: row.userId, email };
}
