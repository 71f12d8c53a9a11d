import type { AccountItem } from '@image-gateway/shared/contract';
import type { Slice } from '@image-gateway/shared/db';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { presentAccount } from './present-account.js';

/** Lists accounts whose e-mail address holds a text or whose id is it, newest first; all of them for an empty text. */
export async function searchAccounts(
  { prisma }: Pick<PrismaDatabase, 'prisma'>,
  text: string,
  page: { readonly limit: number; readonly offset: bigint },
): Promise<Slice<AccountItem>> {
  // The pattern characters of LIKE stand for themselves.
  const email = { contains: text.toLowerCase().replace(/[\\%_]/g, '\\$&') };
  const where = text === '' ? {} : { OR: [{ email }, { id: text }] };
  const [total, rows] = await Promise.all([
    prisma.account.count({ where }),
    prisma.account.findMany({
      where,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      skip: Number(page.offset),
      take: page.limit,
    }),
  ]);
  return { rows: rows.map(presentAccount), total };
}
