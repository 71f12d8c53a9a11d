import { creditAccount } from '@image-gateway/shared/billing';
import { type Database, isUniqueViolation, type Statement } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import { formatDollars } from '@image-gateway/shared/money';
import { newWebhookSecret } from '@image-gateway/shared/webhooks';
import { checkEmail } from './check-email.js';
import { checkPassword } from './check-password.js';
import { hashPassword } from './hash-password.js';

/** A new customer. */
export interface NewAccount {
  readonly email: string;
  /** Makes a log-in to the dashboard when given. */
  readonly password?: string | undefined;
  /** Opening balance in micro-dollars, 0 for none. */
  readonly openingMicros: bigint;
  /** Who did it, for the audit. */
  readonly actor: string;
}

/** What was made; the secret signs the account's webhooks. */
export interface CreatedAccount {
  readonly id: string;
  readonly email: string;
  readonly balanceMicros: bigint;
  readonly webhookSecret: string;
}

const CREATE_ACCOUNT: Statement = {
  name: 'create-account',
  text: `
WITH account AS (INSERT INTO accounts (id, email, webhook_secret) VALUES ($1, $2, $3) RETURNING id),
owner AS (
  INSERT INTO auth_users (id, name, email, email_verified, role)
  SELECT $4::text, split_part($2, '@', 1), $2, true, 'owner' WHERE $4::text IS NOT NULL RETURNING id),
log_in AS (
  INSERT INTO auth_accounts (id, account_id, provider_id, user_id, password)
  SELECT $5::text, id, 'credential', id, $6::text FROM owner),
owned AS (INSERT INTO account_users (account_id, user_id) SELECT account.id, owner.id FROM account, owner)
INSERT INTO audit_entries (id, action, subject, detail)
SELECT $7, 'account.create', id, $8::jsonb FROM account`,
};

/**
 * Creates an account, with its log-in when there is a password, in one statement, and tops it up once with the opening
 * balance. Throws AppError `VALIDATION_ERROR` for a bad e-mail address or password, `BAD_REQUEST` when the address is taken.
 */
export async function createAccount(
  { db }: { readonly db: Database },
  { email: given, password, openingMicros, actor }: NewAccount,
): Promise<CreatedAccount> {
  const email = checkEmail(given);
  if (password !== undefined) checkPassword(password);
  if (openingMicros < 0n)
    throw new AppError('VALIDATION_ERROR', { publicMessage: 'An opening balance is not negative.' });
  const account = {
    id: newId('acc'),
    email,
    balanceMicros: openingMicros,
    webhookSecret: newWebhookSecret(),
  };
  const logIn =
    password === undefined ? [null, null, null] : [newId('usr'), newId('usr'), await hashPassword(password)];
  const detail = { actor, email, logIn: password !== undefined, opening: formatDollars(openingMicros) };
  try {
    await db.run(CREATE_ACCOUNT, [
      account.id,
      email,
      account.webhookSecret,
      ...logIn,
      newId('aud'),
      JSON.stringify(detail),
    ]);
  } catch (error) {
    if (isUniqueViolation(error, 'accounts_email_key') || isUniqueViolation(error, 'auth_users_email_key'))
      throw new AppError('BAD_REQUEST', { publicMessage: `The e-mail address ${email} is already in use.` });
    throw error;
  }
  if (openingMicros > 0n)
    await creditAccount(
      { db, newId },
      { accountId: account.id, amountMicros: openingMicros, reference: `opening:${account.id}` },
    );
  return account;
}
