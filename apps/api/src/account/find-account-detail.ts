import type { AccountDetail } from '@image-gateway/shared/account/schema';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { notFound } from '@image-gateway/shared/errors';
import { accountLimits } from '../key/create-limits.js';
import { presentAccount } from './show-account.js';

/** Returns an account with its users and limits; no secret, no prompt. Throws AppError `NOT_FOUND`. */
export async function findAccountDetail(
  db: Pick<PrismaDatabase, 'prisma' | 'run'>,
  id: string,
): Promise<AccountDetail> {
  const account = await db.prisma.account.findUnique({
    where: { id },
    include: {
      users: { include: { user: { select: { id: true, email: true } } } },
    },
  });
  if (!account) {
    throw notFound('account', id);
  }
  const [active, total] = await Promise.all([
    db.prisma.apiKey.count({
      where: { accountId: id, revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] },
    }),
    db.prisma.apiKey.count({ where: { accountId: id } }),
  ]);
  return {
    ...presentAccount(account),
    limits: await accountLimits.find(db, id),
    users: account.users.map(({ user }) => user),
    keys: { active, total },
  };
}
