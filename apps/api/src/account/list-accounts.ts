import type { Database, Statement } from '@image-gateway/shared/db';
import { ACCOUNT_COLUMNS, type AccountRow, presentAccount } from './show-account.js';

/** Accounts to list. */
export interface AccountList {
  /** Part of the e-mail address. */
  readonly search?: string | undefined;
  /** Maximum number of accounts; without it all of them. */
  readonly limit?: number | undefined;
  /** Account after which the list begins. */
  readonly after?: string | undefined;
}

/** Accounts of one statement. */
const PART = 1_000;

const LIST_ACCOUNTS: Statement = {
  name: 'list-accounts',
  text: `
SELECT ${ACCOUNT_COLUMNS} FROM accounts
 WHERE (created_at, id) > (COALESCE((SELECT created_at FROM accounts WHERE id = $1), '-infinity'), $1)
   AND email LIKE $2::text ORDER BY created_at, id LIMIT $3::int`,
};

/** Lists accounts, oldest first. A part at a time is read, so that their number makes no statement long. */
export async function listAccounts(
  db: Pick<Database, 'run'>,
  { search = '', limit = Number.POSITIVE_INFINITY, after = '' }: AccountList = {},
) {
  const pattern = toEmailPattern(search);
  const accounts: ReturnType<typeof presentAccount>[] = [];
  for (let last = after; accounts.length < limit; ) {
    const take = Math.min(PART, limit - accounts.length);
    const part = await db.run<AccountRow>(LIST_ACCOUNTS, [last, pattern, take]);
    accounts.push(...part.map(presentAccount));
    last = part.at(-1)?.id ?? '';
    if (part.length < take) {
      break;
    }
  }
  return accounts;
}

/** Returns the pattern of LIKE for the addresses that contain a text. */
export function toEmailPattern(text: string): string {
  return `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
}
