import type { TaskDetail } from '@image-gateway/shared/contract';
import { findFullTask, findOwnTask, type TaskRow } from '@image-gateway/shared/db';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { AppError } from '@image-gateway/shared/errors';
import { formatDollars } from '@image-gateway/shared/money';
import { presentTask } from '@image-gateway/shared/presenters';
import { presentDeliveryItem } from '../webhook/present-delivery-item.js';

/** Returns a task with everything that its owner may see. Throws AppError `NOT_FOUND`, also for a task of another account. */
export async function findOwnTaskDetail(
  {
    db,
    fileUrl,
    retentionDays,
  }: { readonly db: PrismaDatabase; readonly fileUrl: string; readonly retentionDays: number | undefined },
  { accountId, id }: { readonly accountId: string; readonly id: string },
): Promise<TaskDetail> {
  const task = await findOwnTask(db, id, accountId);
  if (!task) {
    throw new AppError('NOT_FOUND', { publicMessage: 'There is no such task.' });
  }
  const attempts = { orderBy: { attempt: 'desc' } } as const;
  const { prisma } = db;
  const [key, outputs, delivery, full] = await Promise.all([
    prisma.apiKey.findFirst({ where: { id: task.apiKeyId, accountId }, select: { name: true } }),
    prisma.taskOutput.findMany({ where: { taskId: id }, orderBy: { index: 'asc' } }),
    prisma.webhookDelivery.findUnique({ where: { taskId: id }, include: { attempts } }),
    findFullTask(db, { id, accountId, retentionDays }),
  ]);
  const { expiresAt = null, refundedMicros = null } = full ?? {};
  return {
    ...presentTask(task, fileUrl),
    ...presentRequest(task),
    phase: task.phase,
    api_key: { id: task.apiKeyId, name: key?.name ?? null },
    request_id: task.requestId,
    unit_price: formatDollars(task.unitMicros),
    held: formatDollars(task.status === 'pending' ? task.holdMicros : 0n),
    refunded: refundedMicros === null ? null : formatDollars(refundedMicros),
    deadline_at: task.deadlineAt.toISOString(),
    expires_at: expiresAt?.toISOString() ?? null,
    // No request has an empty prompt.
    is_erased: task.prompt === '' || (expiresAt !== null && expiresAt.getTime() <= Date.now()),
    outputs: (task.status === 'completed' ? outputs : []).map((output) => ({
      index: output.index,
      url: `${fileUrl}/${output.key}`,
      content_type: output.contentType,
      bytes: output.bytes,
      width: output.width,
      height: output.height,
      stored_at: output.createdAt.toISOString(),
    })),
    delivery: delivery && presentDeliveryItem(delivery),
  };
}

function presentRequest(task: TaskRow) {
  return {
    prompt: task.prompt,
    negative_prompt: task.negativePrompt,
    aspect_ratio: task.aspectRatio,
    resolution: task.resolution,
    num_outputs: task.numOutputs,
    image_urls: task.imageUrls,
    webhook_url: task.webhookUrl,
  };
}
