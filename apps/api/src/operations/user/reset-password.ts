import type { Database, Statement } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import { checkPassword } from './check-password.js';
import { hashPassword } from './hash-password.js';

/** User and the new password. */
export interface PasswordReset {
  readonly userId: string;
  readonly password: string;
  /** Author of the change, for the audit log. */
  readonly actor: string;
}

const RESET_PASSWORD: Statement = {
  name: 'reset-password',
  text: `
WITH credential AS (
  UPDATE auth_accounts SET password = $2, updated_at = now()
   WHERE user_id = $1 AND provider_id = 'credential' RETURNING user_id),
ended AS (DELETE FROM auth_sessions WHERE user_id IN (SELECT user_id FROM credential)),
audit AS (
  INSERT INTO audit_entries (id, action, subject, detail) SELECT $3, 'user.reset-password', user_id, $4::jsonb FROM credential)
SELECT user_id FROM credential`,
};

/** Sets the password of a user and ends all sessions of the user, in one statement. Throws AppError `VALIDATION_ERROR`, `NOT_FOUND`. */
export async function resetPassword(
  { db }: { readonly db: Pick<Database, 'run'> },
  { userId, password, actor }: PasswordReset,
): Promise<void> {
  checkPassword(password);
  const values = [userId, await hashPassword(password), newId('aud'), JSON.stringify({ actor })];
  const [user] = await db.run(RESET_PASSWORD, values);
  if (!user) {
    throw new AppError('NOT_FOUND', { publicMessage: 'There is no such user with a password.' });
  }
}
