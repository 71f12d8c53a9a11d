import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { findAccount } from './find-account.js';
import { presentAccount } from './present-account.js';

/** Returns an account as operators see it in a list. Throws AppError `NOT_FOUND`. */
export async function showAccount(db: Pick<PrismaDatabase, 'prisma'>, id: string) {
  return presentAccount(await findAccount(db, id));
}
