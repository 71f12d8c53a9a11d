import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { notFound } from '@image-gateway/shared/errors';

/** Finds an account; throws AppError `NOT_FOUND`. */
export async function findAccount(db: Pick<PrismaDatabase, 'prisma'>, id: string) {
  const account = await db.prisma.account.findUnique({
    where: { id },
    include: { users: { include: { user: { select: { email: true, role: true } } } } },
  });
  if (!account) {
    throw notFound('account', id);
  }
  return account;
}
