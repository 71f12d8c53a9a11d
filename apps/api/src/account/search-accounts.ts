import type { AccountItem } from '@image-gateway/shared/account/schema';
import type { Database, Statement } from '@image-gateway/shared/db';
import { isId } from '@image-gateway/shared/ids';
import { type ListCursor, type ListPart, START_OF_LIST, toPart } from '@image-gateway/shared/validation';
import { toEmailPattern } from './list-accounts.js';
import { ACCOUNT_COLUMNS, type AccountRow, presentAccount } from './show-account.js';

/** Accounts to list. */
export interface AccountSearch {
  /** Part of an e-mail address, or a whole id; empty: all accounts. */
  readonly text: string;
  /** The part begins after this place; absent: with the newest account. */
  readonly after?: ListCursor | undefined;
  readonly limit: number;
}

// A text of its own for each search: the plan of one for all would read every account.
const listBy = (name: string, condition: string): Statement => ({
  name: `list-accounts-${name}`,
  text: `
SELECT ${ACCOUNT_COLUMNS} FROM accounts
 WHERE ${condition} AND (created_at, id) < ($1::timestamptz, $2::text) ORDER BY created_at DESC, id DESC LIMIT $3::int`,
});
const LIST_ALL = listBy('all', 'true');
const LIST_ONE = listBy('one', 'id = $4::text');
const LIST_BY_EMAIL = listBy('by-email', 'email LIKE $4::text');

/** Lists accounts part by part, newest first. */
export async function searchAccounts(
  db: Pick<Database, 'run'>,
  { text, after = START_OF_LIST, limit }: AccountSearch,
): Promise<ListPart<AccountItem>> {
  const place = [after.time, after.id, limit + 1];
  const pattern = toEmailPattern(text);
  const rows =
    text === ''
      ? await db.run<AccountRow>(LIST_ALL, place)
      : isId('acc', text)
        ? await db.run<AccountRow>(LIST_ONE, [...place, text])
        : await db.run<AccountRow>(LIST_BY_EMAIL, [...place, pattern]);
  return toPart(rows, limit, presentAccount);
}
