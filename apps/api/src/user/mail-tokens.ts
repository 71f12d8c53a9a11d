import { createHash, randomBytes } from 'node:crypto';
import type { AuthUser, Database, Statement } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import { listEmailForms } from './check-email.js';
import { checkPassword, hashPassword, matchesPassword } from './passwords.js';

type Runner = Pick<Database, 'run'>;

/** Log-in that a sign-up asked for. */
export interface SignUpLogIn {
  readonly email: string;
  readonly passwordHash: string;
}

/** New address of a user, and the hash of the password with which it was asked for: a new password ends the link. */
export interface EmailChange {
  readonly userId: string;
  readonly email: string;
  readonly passwordHash: string;
}

type LinkKind = 'reset' | 'sign-up' | 'email';

/** Links of mails are good for an hour. */
const ADD_TOKEN: Statement = {
  name: 'add-mail-token',
  text: `
INSERT INTO auth_verifications (id, identifier, value, expires_at, updated_at) VALUES ($1, $2, $3, now() + interval '1 hour', now())`,
};

/** Adds a token that can be used once; only its hash is stored. */
async function addToken(db: Runner, kind: LinkKind, value: string): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await db.run(ADD_TOKEN, [newId('usr'), toIdentifier(kind, token), value]);
  return token;
}

function toIdentifier(kind: LinkKind, token: string): string {
  return `${kind}:${createHash('sha256').update(token).digest('base64url')}`;
}

const FIND_USER: Statement = {
  name: 'find-user-to-mail',
  text: `
SELECT u.id, u.email FROM auth_users u JOIN auth_accounts a ON a.user_id = u.id AND a.provider_id = 'credential'
 WHERE u.email = ANY ($1::text[]) AND NOT u.banned ORDER BY array_position($1::text[], u.email) LIMIT 1`,
};

/** Finds the user with a password that an address belongs to; null for none. */
export async function findUserToMail(
  db: Runner,
  email: string,
): Promise<Readonly<Pick<AuthUser, 'id' | 'email'>> | null> {
  const [user] = await db.run<Pick<AuthUser, 'id' | 'email'>>(FIND_USER, [listEmailForms(email)]);
  return user ?? null;
}

/** Adds the token of a link by which a user sets a new password. */
export function addResetToken(db: Runner, userId: string): Promise<string> {
  return addToken(db, 'reset', userId);
}

/** Adds the token of a link that confirms the address of a sign-up, whose account is created then. */
export function addSignUpToken(db: Runner, logIn: SignUpLogIn): Promise<string> {
  return addToken(db, 'sign-up', JSON.stringify(logIn));
}

/** Adds the token of a link that confirms the new address of a user. */
export function addEmailToken(db: Runner, change: EmailChange): Promise<string> {
  return addToken(db, 'email', JSON.stringify(change));
}

// A link proves the address. All other links of the user end with the one that was used, as all sessions do.
const RESET_BY_TOKEN: Statement = {
  name: 'reset-password-by-token',
  text: `
WITH used AS (DELETE FROM auth_verifications WHERE identifier = $1 AND expires_at > now() RETURNING value),
others AS (DELETE FROM auth_verifications WHERE value IN (SELECT value FROM used) AND identifier LIKE 'reset:%' AND identifier <> $1),
credential AS (
  UPDATE auth_accounts SET password = $2, updated_at = now()
   WHERE user_id IN (SELECT value FROM used) AND provider_id = 'credential' RETURNING user_id),
confirmed AS (UPDATE auth_users SET email_verified = true, updated_at = now() WHERE id IN (SELECT user_id FROM credential)),
ended AS (DELETE FROM auth_sessions WHERE user_id IN (SELECT user_id FROM credential)),
audit AS (
  INSERT INTO audit_entries (id, action, subject, detail)
  SELECT $3, 'user.reset-password', user_id, jsonb_build_object('actor', 'mail') FROM credential)
SELECT user_id FROM credential`,
};

/** Sets a new password by the token of a link and ends all sessions of the user. Throws AppError `VALIDATION_ERROR`, `BAD_REQUEST`. */
export async function resetByToken(
  db: Runner,
  { token, password }: { readonly token: string; readonly password: string },
): Promise<void> {
  checkPassword(password);
  const values = [toIdentifier('reset', token), await hashPassword(password), newId('aud')];
  if ((await db.run(RESET_BY_TOKEN, values)).length === 0) {
    throw overLink();
  }
}

const FIND_TOKEN: Statement = {
  name: 'find-mail-token',
  text: 'SELECT value FROM auth_verifications WHERE identifier = $1 AND expires_at > now()',
};

const USE_SIGN_UP: Statement = {
  name: 'use-sign-up-token',
  text: 'DELETE FROM auth_verifications WHERE identifier = $1 AND expires_at > now() RETURNING value',
};

/** Token of a link and the password that goes with it. */
export interface LinkUse {
  readonly token: string;
  readonly password: string;
}

/**
 * Reads what a link is for, without using it. Asks for the password that belongs to it: the owner of the mailbox might confirm what a
 * stranger asked for, who would know the password. Throws AppError `BAD_REQUEST` for the link, and `VALIDATION_ERROR` for the
 * password, which leaves the link good.
 */
async function readToken<T extends { readonly passwordHash: string }>(
  db: Runner,
  identifier: string,
  { password, wrong }: { readonly password: string; readonly wrong: string },
): Promise<T> {
  const [found] = await db.run<{ readonly value: string }>(FIND_TOKEN, [identifier]);
  if (!found) {
    throw overLink();
  }
  const value = JSON.parse(found.value) as T;
  if (!(await matchesPassword(value.passwordHash, password))) {
    throw new AppError('VALIDATION_ERROR', { publicMessage: wrong });
  }
  return value;
}

/** Uses the token of a sign-up and returns its log-in. Throws AppError as `readToken` does. */
export async function useSignUpToken(db: Runner, { token, password }: LinkUse): Promise<SignUpLogIn> {
  const identifier = toIdentifier('sign-up', token);
  const wrong =
    'This is not the password of that sign-up. If it was not yours, ignore its mail, or sign up yourself.';
  const logIn = await readToken<SignUpLogIn>(db, identifier, { password, wrong });
  if ((await db.run(USE_SIGN_UP, [identifier])).length === 0) {
    throw overLink();
  }
  return logIn;
}

/** Reads the token of a new address; the statement that changes the address uses it. Throws AppError as `readToken` does. */
export async function readEmailToken(
  db: Runner,
  { token, password }: LinkUse,
): Promise<EmailChange & { readonly identifier: string }> {
  const identifier = toIdentifier('email', token);
  const wrong =
    'This is not the password of the user who asked for it. If that was not you, ignore the mail.';
  return { ...(await readToken<EmailChange>(db, identifier, { password, wrong })), identifier };
}

/** Creates the error of a link that is good no more. */
export function overLink(): AppError {
  return new AppError('BAD_REQUEST', {
    publicMessage: 'This link was used already, or is older than an hour. Ask for a new one.',
  });
}
