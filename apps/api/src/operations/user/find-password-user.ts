import type { Database, Statement } from '@image-gateway/shared/db';

/** User who logs in with a password. */
export interface PasswordUser {
  readonly id: string;
  /** The hash, as `hash-password` writes it. */
  readonly password: string;
}

const FIND_PASSWORD_USER: Statement = {
  name: 'find-password-user',
  text: `
SELECT u.id, a.password FROM auth_users u JOIN auth_accounts a ON a.user_id = u.id AND a.provider_id = 'credential'
 WHERE u.email = $1 AND a.password IS NOT NULL`,
};

/** Finds the user of an e-mail address who has a password; null for none. */
export async function findPasswordUser(
  db: Pick<Database, 'run'>,
  email: string,
): Promise<PasswordUser | null> {
  const [user] = await db.run<PasswordUser>(FIND_PASSWORD_USER, [email.trim().toLowerCase()]);
  return user ?? null;
}
