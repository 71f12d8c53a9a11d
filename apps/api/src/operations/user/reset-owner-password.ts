import { randomBytes } from 'node:crypto';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { AppError } from '@image-gateway/shared/errors';
import { resetPassword } from './reset-password.js';

/** Owner whose password is reset. */
export interface OwnerToReset {
  readonly accountId: string;
  readonly userId: string;
  /** Author of the change, for the audit log. */
  readonly actor: string;
}

/** Sets a new random password of an account owner, returns it, and ends all sessions of the user. Throws AppError `NOT_FOUND`. */
export async function resetOwnerPassword(
  { db }: { readonly db: PrismaDatabase },
  { accountId, userId, actor }: OwnerToReset,
): Promise<{ readonly password: string }> {
  const owner = await db.prisma.accountUser.findFirst({ where: { accountId, userId } });
  if (!owner) {
    throw new AppError('NOT_FOUND', { publicMessage: 'This account has no such user.' });
  }
  const password = randomBytes(12).toString('base64url');
  await resetPassword({ db }, { userId, password, actor });
  return { password };
}
