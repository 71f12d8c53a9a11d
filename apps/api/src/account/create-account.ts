import type { Database, Statement } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import { formatDollars } from '@image-gateway/shared/money';
import { checkAmount } from '@image-gateway/shared/validation';
import { newWebhookSecret } from '@image-gateway/shared/webhooks';
import { checkEmail, takeEmail } from '../user/check-email.js';
import { checkPassword, hashPassword } from '../user/passwords.js';

/** Account to create. */
export interface NewAccount {
  readonly email: string;
  /** Creates the user of the dashboard who owns the account, when given. */
  readonly password?: string | undefined;
  /** Hash of the password of a user who has confirmed the address, in place of a password. */
  readonly passwordHash?: string | undefined;
  /** Opening balance in micro-dollars, 0 for none. */
  readonly openingMicros: bigint;
  /** Why it has an opening balance, for the books. */
  readonly reason?: string | null;
  /** Author of the change, for the audit log. */
  readonly actor: string;
}

/** Created account; the secret signs its webhooks. */
export interface CreatedAccount {
  readonly id: string;
  readonly email: string;
  readonly balanceMicros: bigint;
  readonly webhookSecret: string;
}

const CREATE_ACCOUNT: Statement = {
  name: 'create-account',
  text: `
WITH account AS (
  INSERT INTO accounts (id, email, webhook_secret, balance_micros) VALUES ($1, $2, $3, $9::bigint) RETURNING id),
opening AS (
  INSERT INTO ledger_transfers (id, kind, debit_account, credit_account, amount_micros, account_id, external_ref, reason)
  SELECT $10, 'topup', 'cash', 'cust:' || id, $9::bigint, id, 'opening:' || id, $12 FROM account WHERE $9::bigint > 0),
owner AS (
  INSERT INTO auth_users (id, name, email, email_verified, role)
  SELECT $4::text, split_part($2, '@', 1), $2, $11::bool, 'owner' WHERE $4::text IS NOT NULL RETURNING id),
credential AS (
  INSERT INTO auth_accounts (id, account_id, provider_id, user_id, password)
  SELECT $5::text, id, 'credential', id, $6::text FROM owner),
owned AS (INSERT INTO account_users (account_id, user_id) SELECT account.id, owner.id FROM account, owner)
INSERT INTO audit_entries (id, action, subject, detail)
SELECT $7, 'account.create', id, $8::jsonb FROM account`,
};

/**
 * Creates an account with its opening balance and the audit entry, and with a password its user, in one statement.
 * Throws AppError `VALIDATION_ERROR` for a bad e-mail address or password, and EmailTakenError.
 */
export async function createAccount(
  { db }: { readonly db: Pick<Database, 'run'> },
  { email: given, password, passwordHash, openingMicros, reason = null, actor }: NewAccount,
): Promise<CreatedAccount> {
  const email = checkEmail(given);
  if (password !== undefined) {
    checkPassword(password);
  }
  checkAmount(openingMicros);
  if (openingMicros < 0n) {
    throw new AppError('VALIDATION_ERROR', { publicMessage: 'An opening balance cannot be negative.' });
  }
  const account = {
    id: newId('acc'),
    email,
    balanceMicros: openingMicros,
    webhookSecret: newWebhookSecret(),
  };
  const hash = password === undefined ? passwordHash : await hashPassword(password);
  const user = hash === undefined ? [null, null, null] : [newId('usr'), newId('usr'), hash];
  const detail = {
    actor,
    email,
    logIn: hash !== undefined,
    opening: formatDollars(openingMicros),
    ...(reason !== null && { reason }),
  };
  const audit = [newId('aud'), JSON.stringify(detail)];
  const opening = [openingMicros, newId('led'), passwordHash !== undefined, reason];
  await takeEmail(email, () =>
    db.run(CREATE_ACCOUNT, [account.id, email, account.webhookSecret, ...user, ...audit, ...opening]),
  );
  return account;
}
