import type { Database } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';

/** Finds a task with everything that hangs on it; throws AppError `NOT_FOUND`. */
export async function findWholeTask(db: Database, id: string) {
  const task = await db.prisma.task.findUnique({
    where: { id },
    include: {
      outputs: { orderBy: { index: 'asc' } },
      calls: { orderBy: { createdAt: 'asc' } },
      delivery: true,
    },
  });
  if (!task) throw new AppError('NOT_FOUND', { publicMessage: `There is no task ${id}.` });
  const transfers = await db.prisma.ledgerTransfer.findMany({
    where: { taskId: id, accountId: task.accountId },
    orderBy: { createdAt: 'asc' },
  });
  return { ...task, transfers };
}

/** A task with everything that hangs on it. */
export type WholeTask = Awaited<ReturnType<typeof findWholeTask>>;
