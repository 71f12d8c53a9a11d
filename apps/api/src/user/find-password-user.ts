import type { AuthAccount, AuthUser, Database, Statement } from '@image-gateway/shared/db';
import { listEmailForms } from './check-email.js';

/** User with a password; `password` is the hash of better-auth. */
export interface PasswordUser extends Readonly<Pick<AuthUser, 'id'>> {
  readonly password: NonNullable<AuthAccount['password']>;
}

const FIND_PASSWORD_USER: Statement = {
  name: 'find-password-user',
  text: `
SELECT u.id, a.password FROM auth_users u JOIN auth_accounts a ON a.user_id = u.id AND a.provider_id = 'credential'
 WHERE u.email = ANY ($1::text[]) AND a.password IS NOT NULL ORDER BY array_position($1::text[], u.email) LIMIT 1`,
};

/** Finds the user of an e-mail address who has a password; null for none. */
export async function findPasswordUser(
  db: Pick<Database, 'run'>,
  email: string,
): Promise<PasswordUser | null> {
  const [user] = await db.run<PasswordUser>(FIND_PASSWORD_USER, [listEmailForms(email)]);
  return user ?? null;
}
