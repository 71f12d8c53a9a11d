import { randomBytes } from 'node:crypto';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { AppError } from '@image-gateway/shared/errors';
import { resetPassword } from './reset-password.js';

/** Owner who forgot the password. */
export interface OwnerToReset {
  readonly accountId: string;
  readonly userId: string;
  /** Who did it, for the audit. */
  readonly actor: string;
}

/** Gives an owner of an account a new random password, which is returned this once, and ends all their sessions. Throws AppError `NOT_FOUND`. */
export async function resetOwnerPassword(
  { db }: { readonly db: PrismaDatabase },
  { accountId, userId, actor }: OwnerToReset,
): Promise<{ readonly password: string }> {
  const owner = await db.prisma.accountUser.findFirst({ where: { accountId, userId } });
  if (!owner) throw new AppError('NOT_FOUND', { publicMessage: 'There is no such log-in.' });
  const password = randomBytes(12).toString('base64url');
  await resetPassword({ db }, { userId, password, actor });
  return { password };
}
