import { type Database, isUniqueViolation, type Statement } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import { checkEmail } from './check-email.js';
import { checkPassword, hashPassword } from './passwords.js';

/** Operator to create. */
export interface NewOperator {
  readonly email: string;
  readonly password: string;
  /** Author of the change, for the audit log. */
  readonly actor: string;
}

const CREATE_OPERATOR: Statement = {
  name: 'create-operator',
  text: `
WITH operator AS (
  INSERT INTO auth_users (id, name, email, email_verified, role)
  VALUES ($1, split_part($2, '@', 1), $2, false, 'operator') RETURNING id),
credential AS (
  INSERT INTO auth_accounts (id, account_id, provider_id, user_id, password)
  SELECT $3, id, 'credential', id, $4 FROM operator)
INSERT INTO audit_entries (id, action, subject, detail) SELECT $5, 'operator.create', id, $6::jsonb FROM operator`,
};

/**
 * Creates an operator, a user who owns no account. Throws AppError `VALIDATION_ERROR` for a bad e-mail address or password,
 * and `BAD_REQUEST` for an address in use.
 */
export async function createOperator(
  { db }: { readonly db: Pick<Database, 'run'> },
  { email: given, password, actor }: NewOperator,
): Promise<{ readonly id: string; readonly email: string }> {
  const email = checkEmail(given);
  checkPassword(password);
  const id = newId('usr');
  const hash = await hashPassword(password);
  const values = [id, email, newId('usr'), hash, newId('aud'), JSON.stringify({ actor, email })];
  try {
    await db.run(CREATE_OPERATOR, values);
  } catch (error) {
    if (!isUniqueViolation(error, 'auth_users_email_key')) {
      throw error;
    }
    throw new AppError('BAD_REQUEST', { publicMessage: `The e-mail address ${email} is already in use.` });
  }
  return { id, email };
}
