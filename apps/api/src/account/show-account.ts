import type { Account } from '@image-gateway/shared/db';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { notFound } from '@image-gateway/shared/errors';
import { formatDollars } from '@image-gateway/shared/money';

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

/** Columns of an account that operators see in a list. */
export type AccountRow = Readonly<
  Pick<
    Account,
    | 'id'
    | 'email'
    | 'status'
    | 'suspensionReason'
    | 'balanceMicros'
    | 'heldMicros'
    | 'openCount'
    | 'taskCount'
    | 'usageCount'
    | 'createdAt'
  >
>;

/** Presents an account to an operator: money as dollar strings, no secret. */
export function presentAccount(account: AccountRow) {
  return {
    id: account.id,
    email: account.email,
    status: account.status,
    ...(account.suspensionReason !== null && { suspension_reason: account.suspensionReason }),
    balance: formatDollars(account.balanceMicros),
    held: formatDollars(account.heldMicros),
    available: formatDollars(account.balanceMicros - account.heldMicros),
    open_tasks: account.openCount,
    tasks: Number(account.taskCount),
    usage_records: Number(account.usageCount),
    created_at: account.createdAt.toISOString(),
  };
}

/** Returns an account as operators see it in a list. Throws AppError `NOT_FOUND`. */
export async function showAccount(db: Pick<PrismaDatabase, 'prisma'>, id: string) {
  return presentAccount(await findAccount(db, id));
}
