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

/** Links of mails are good for an hour. */
const ADD_TOKEN: Statement = {
  name: 'add-mail-token',
  text: `
INSERT INTO auth_verifications (id, identifier, value, expires_at, updated_at) VALUES ($1, $2, $3, now() + interval '1 hour', now())`,
};

/** Adds a token that can be used once; only its hash is stored. */
async function addToken(db: Runner, kind: 'reset' | 'sign-up', value: string): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await db.run(ADD_TOKEN, [newId('usr'), toIdentifier(kind, token), value]);
  return token;
}

function toIdentifier(kind: 'reset' | 'sign-up', token: string): string {
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

const FIND_SIGN_UP: Statement = {
  name: 'find-sign-up-token',
  text: 'SELECT value FROM auth_verifications WHERE identifier = $1 AND expires_at > now()',
};

const USE_SIGN_UP: Statement = {
  name: 'use-sign-up-token',
  text: 'DELETE FROM auth_verifications WHERE identifier = $1 AND expires_at > now() RETURNING value',
};

/**
 * Uses the token of a sign-up and returns its log-in. Asks for the password of the sign-up: the owner of the mailbox
 * might confirm the sign-up of a stranger, who would know the password. Throws AppError `BAD_REQUEST` for the link, and
 * `VALIDATION_ERROR` for the password, which leaves the link good.
 */
export async function useSignUpToken(
  db: Runner,
  { token, password }: { readonly token: string; readonly password: string },
): Promise<SignUpLogIn> {
  const identifier = [toIdentifier('sign-up', token)];
  const [found] = await db.run<{ readonly value: string }>(FIND_SIGN_UP, identifier);
  if (!found) {
    throw overLink();
  }
  const logIn = JSON.parse(found.value) as SignUpLogIn;
  if (!(await matchesPassword(logIn.passwordHash, password))) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage:
        'This is not the password of that sign-up. If it was not yours, ignore its mail, or sign up yourself.',
    });
  }
  if ((await db.run(USE_SIGN_UP, identifier)).length === 0) {
    throw overLink();
  }
  return logIn;
}

function overLink(): AppError {
  return new AppError('BAD_REQUEST', {
    publicMessage: 'This link was used already, or is older than an hour. Ask for a new one.',
  });
}
