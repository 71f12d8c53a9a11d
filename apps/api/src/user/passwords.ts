import { randomBytes } from 'node:crypto';
import { type Database, isUniqueViolation, type Statement } from '@image-gateway/shared/db/database';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { AppError, notFound } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import { checkEmail } from './check-email.js';

/** Throws AppError `VALIDATION_ERROR` unless a password has 8 to 128 characters and not only white space. */
export function checkPassword(password: string): void {
  const length = [...password].length;
  if (length < 8 || length > 128 || !/\S/.test(password)) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: 'A password has 8 to 128 characters, not only white space.',
    });
  }
}

/** Makes a random password, which is shown once. */
export function newPassword(): string {
  return randomBytes(12).toString('base64url');
}

/** Hashes a password as better-auth does. It is loaded at the first use: the command line would start more slowly. */
export async function hashPassword(password: string): Promise<string> {
  const crypto = await import('better-auth/crypto');
  return crypto.hashPassword(password);
}

/** Returns true for the password of a hash. */
export async function matchesPassword(hash: string, password: string): Promise<boolean> {
  const crypto = await import('better-auth/crypto');
  return crypto.verifyPassword({ hash, password });
}

/** User and the new password. */
export interface PasswordReset {
  readonly userId: string;
  readonly password: string;
  /** Author of the change, for the audit log. */
  readonly actor: string;
  /** Address of the client where users change their own password; absent: somebody else sets it. */
  readonly ip?: string;
}

const RESET_PASSWORD: Statement = {
  name: 'reset-password',
  text: `
WITH credential AS (
  UPDATE auth_accounts SET password = $2, updated_at = now()
   WHERE user_id = $1 AND provider_id = 'credential' RETURNING user_id),
ended AS (DELETE FROM auth_sessions WHERE user_id IN (SELECT user_id FROM credential)),
audit AS (
  INSERT INTO audit_entries (id, action, subject, detail) SELECT $3, $5, user_id, $4::jsonb FROM credential)
SELECT user_id FROM credential`,
};

/** Sets the password of a user and ends all sessions of the user, in one statement. Throws AppError `VALIDATION_ERROR`, `NOT_FOUND`. */
export async function resetPassword(
  { db }: { readonly db: Pick<Database, 'run'> },
  { userId, password, actor, ip }: PasswordReset,
): Promise<void> {
  checkPassword(password);
  const action = ip === undefined ? 'user.reset-password' : 'user.change-password';
  const detail = JSON.stringify({ actor, address: ip });
  const values = [userId, await hashPassword(password), newId('aud'), detail, action];
  const [user] = await db.run(RESET_PASSWORD, values);
  if (!user) {
    throw new AppError('NOT_FOUND', { publicMessage: 'There is no such user with a password.' });
  }
}

/** Owner whose password is reset. */
export interface OwnerToReset {
  readonly accountId: string;
  readonly userId: string;
  /** Author of the change, for the audit log. */
  readonly actor: string;
}

/** Sets a new random password of an account owner, returns it, and ends all sessions of the user. Throws AppError `NOT_FOUND`. */
export async function resetOwnerPassword(
  { db }: { readonly db: PrismaDatabase },
  { accountId, userId, actor }: OwnerToReset,
): Promise<{ readonly password: string }> {
  const owner = await db.prisma.accountUser.findFirst({ where: { accountId, userId } });
  if (!owner) {
    throw new AppError('NOT_FOUND', { publicMessage: 'This account has no such user.' });
  }
  const password = newPassword();
  await resetPassword({ db }, { userId, password, actor });
  return { password };
}

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
