import type { TaskDetail } from '@image-gateway/shared/contract';
import { type Database, findOwnTask, type TaskRow } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { formatDollars } from '@image-gateway/shared/money';
import { presentTask } from '@image-gateway/shared/presenters';
import type { Handler } from '../../http/call.js';
import type { OwnerCall } from '../call.js';
import { dataReply } from '../data-reply.js';
import { presentDeliveryItem } from '../present-delivery-item.js';

/** What showing a task needs. */
export interface GetOwnTaskDeps {
  readonly db: Database;
  readonly fileUrl: string;
}

/** `GET /dashboard/api/tasks/{id}`: an own task with everything that its owner may know; another account's is as unknown as none. */
export function getOwnTask(deps: GetOwnTaskDeps): Handler<OwnerCall> {
  return async ({ accountId, params: { id = '' } }) => {
    const task = await findOwnTask(deps.db, id, accountId);
    if (!task) throw new AppError('NOT_FOUND', { publicMessage: 'There is no such task.' });
    const attempts = { orderBy: { attempt: 'desc' } } as const;
    const { prisma } = deps.db;
    const [key, outputs, refund, delivery] = await Promise.all([
      prisma.apiKey.findFirst({ where: { id: task.apiKeyId, accountId }, select: { name: true } }),
      prisma.taskOutput.findMany({ where: { taskId: id }, orderBy: { index: 'asc' } }),
      prisma.ledgerTransfer.findFirst({ where: { taskId: id, kind: 'refund' } }),
      prisma.webhookDelivery.findUnique({ where: { taskId: id }, include: { attempts } }),
    ]);
    const detail: TaskDetail = {
      ...presentTask(task, deps.fileUrl),
      ...requestOf(task),
      phase: task.phase,
      api_key: { id: task.apiKeyId, name: key?.name ?? null },
      request_id: task.requestId,
      unit_price: formatDollars(task.unitMicros),
      held: formatDollars(task.status === 'pending' ? task.holdMicros : 0n),
      refunded: refund && formatDollars(refund.amountMicros),
      deadline_at: task.deadlineAt.toISOString(),
      outputs: (task.status === 'completed' ? outputs : []).map((output) => ({
        index: output.index,
        url: `${deps.fileUrl}/${output.key}`,
        content_type: output.contentType,
        bytes: output.bytes,
        width: output.width,
        height: output.height,
        stored_at: output.createdAt.toISOString(),
      })),
      delivery: delivery && presentDeliveryItem(delivery),
    };
    return dataReply(detail);
  };
}

function requestOf(task: TaskRow) {
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
