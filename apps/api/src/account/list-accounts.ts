import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { presentAccount } from './show-account.js';

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

/** Lists accounts, oldest first. A part at a time is read, so that their number makes no statement long. */
export async function listAccounts(
  { prisma }: Pick<PrismaDatabase, 'prisma'>,
  { search, limit = Number.POSITIVE_INFINITY, after }: AccountList = {},
) {
  const where =
    search === undefined ? {} : { email: { contains: search.toLowerCase().replace(/[\\%_]/g, '\\$&') } };
  const accounts: ReturnType<typeof presentAccount>[] = [];
  for (let last = after; accounts.length < limit; ) {
    const take = Math.min(PART, limit - accounts.length);
    const part = await prisma.account.findMany({
      where,
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      take,
      ...(last !== undefined && { cursor: { id: last }, skip: 1 }),
    });
    accounts.push(...part.map(presentAccount));
    last = part.at(-1)?.id;
    if (part.length < take) {
      break;
    }
  }
  return accounts;
}
