import type { Database } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';

/** Finds an account; throws AppError `NOT_FOUND`. */
export async function findAccount(db: Database, id: string) {
  const account = await db.prisma.account.findUnique({
    where: { id },
    include: { users: { include: { user: { select: { email: true, role: true } } } } },
  });
  if (!account) throw new AppError('NOT_FOUND', { publicMessage: `There is no account ${id}.` });
  return account;
}
