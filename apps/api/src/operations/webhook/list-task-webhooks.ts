import { findTask } from '@image-gateway/shared/db';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { notFound } from '@image-gateway/shared/errors';
import { presentDelivery } from './present-delivery.js';

/** Lists the webhooks of a task: none, or one after it has ended. Throws AppError `NOT_FOUND`. */
export async function listTaskWebhooks(db: PrismaDatabase, taskId: string) {
  const deliveries = await db.prisma.webhookDelivery.findMany({ where: { taskId } });
  if (deliveries.length === 0 && !(await findTask(db, taskId))) {
    throw notFound('task', taskId);
  }
  return deliveries.map(presentDelivery);
}
