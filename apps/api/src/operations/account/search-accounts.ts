import type { AccountItem } from '@image-gateway/shared/contract';
import type { Slice } from '@image-gateway/shared/db';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { presentAccount } from './present-account.js';

/** Lists accounts whose e-mail address contains a text or whose id equals it, newest first; all accounts for an empty text. */
export async function searchAccounts(
  { prisma }: Pick<PrismaDatabase, 'prisma'>,
  text: string,
  page: { readonly limit: number; readonly offset: bigint },
): Promise<Slice<AccountItem>> {
  // Escapes the pattern characters of LIKE.
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
