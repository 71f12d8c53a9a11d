import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

const FIND_END_USER_KEY: Statement = {
  name: 'find-end-user-key',
  text: 'SELECT end_user_key AS "endUserKey" FROM installation',
};

/** Returns the key of the hashes that stand for end users at vendors. It is made once for an installation. */
export async function findEndUserKey(db: Pick<Database, 'run'>): Promise<string> {
  const [row] = await db.run<{ readonly endUserKey: string }>(FIND_END_USER_KEY, []);
  if (row === undefined) {
    throw new Error('the table installation has no row');
  }
  return row.endUserKey;
}
