/** Hashes a password as better-auth does. It is loaded at the first use: the command line would start more slowly. */
export async function hashPassword(password: string): Promise<string> {
  const crypto = await import('better-auth/crypto');
  return crypto.hashPassword(password);
}
