import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { presentAccount } from './present-account.js';

/** Lists every account, oldest first. */
export async function listAccounts({ prisma }: Pick<PrismaDatabase, 'prisma'>) {
  const accounts = await prisma.account.findMany({ orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
  return accounts.map(presentAccount);
}
