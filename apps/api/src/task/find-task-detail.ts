import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { notFound } from '@image-gateway/shared/errors';
import { formatDollars } from '@image-gateway/shared/money';
import { presentDelivery } from '../webhook/deliveries.js';

/** Returns a task with its calls, transfers and webhook for operators; prompt and URLs only with `verbose`. Throws AppError `NOT_FOUND`. */
export async function findTaskDetail(
  db: Pick<PrismaDatabase, 'prisma'>,
  id: string,
  options: { readonly verbose: boolean },
) {
  return presentWholeTask(await readTask(db, id), options);
}

async function readTask({ prisma }: Pick<PrismaDatabase, 'prisma'>, id: string) {
  const task = await prisma.task.findUnique({
    where: { id },
    include: {
      outputs: { orderBy: { index: 'asc' } },
      calls: { orderBy: { createdAt: 'asc' } },
      delivery: true,
      account: { select: { email: true } },
    },
  });
  if (!task) {
    throw notFound('task', id);
  }
  // One look for each kind: their indexes are partial, and without one every transfer of the account is read.
  const transfers = await Promise.all(
    (['capture', 'refund'] as const).map((kind) =>
      prisma.ledgerTransfer.findFirst({ where: { taskId: id, kind } }),
    ),
  );
  return { ...task, transfers: transfers.filter((transfer) => transfer !== null) };
}

type TaskRow = Awaited<ReturnType<typeof readTask>>;

function presentWholeTask(task: TaskRow, { verbose }: { readonly verbose: boolean }) {
  const refund = task.transfers.find(({ kind }) => kind === 'refund');
  const upstreamMicros = task.calls.reduce((sum, { costMicros }) => sum + (costMicros ?? 0n), 0n);
  return {
    id: task.id,
    account_id: task.accountId,
    email: task.account.email,
    api_key_id: task.apiKeyId,
    request_id: task.requestId,
    model: task.model,
    type: task.type,
    status: task.status,
    phase: task.phase,
    attempt: task.attempt,
    tries: task.tries,
    asked: task.numOutputs,
    stored: task.storedCount,
    calls: task.callCount,
    aspect_ratio: task.aspectRatio,
    resolution: task.resolution,
    unit_price: formatDollars(task.unitMicros),
    hold: formatDollars(task.status === 'pending' ? task.holdMicros : 0n),
    cost: formatDollars(task.costMicros),
    refunded: refund ? formatDollars(refund.amountMicros) : null,
    /** Cost of its provider calls, at list price where the provider reports none; includes unknown outcomes. */
    upstream_cost: formatDollars(upstreamMicros),
    margin: task.status === 'pending' ? null : formatDollars(task.costMicros - upstreamMicros),
    is_canceling: task.status === 'pending' && task.cancelRequestedAt !== null,
    error: task.error,
    worker: task.workerId,
    due_at: task.dueAt.toISOString(),
    lease_until: task.leaseUntil?.toISOString() ?? null,
    deadline_at: task.deadlineAt.toISOString(),
    created_at: task.createdAt.toISOString(),
    started_at: task.startedAt?.toISOString() ?? null,
    completed_at: task.completedAt?.toISOString() ?? null,
    input_images: task.imageUrls.length,
    ...(verbose && {
      prompt: task.prompt,
      negative_prompt: task.negativePrompt,
      image_urls: task.imageUrls,
      webhook_url: task.webhookUrl,
    }),
    outputs: task.outputs.map((output) => ({
      index: output.index,
      key: output.key,
      content_type: output.contentType,
      bytes: output.bytes,
      width: output.width,
      height: output.height,
      stored_at: output.createdAt.toISOString(),
    })),
    provider_calls: task.calls.map((call) => ({
      id: call.id,
      attempt: call.attempt,
      provider: call.provider,
      model: call.model,
      images_asked: call.imagesAsked,
      state: call.state,
      detail: call.detail,
      provider_request_id: call.providerRequestId,
      cost: call.costMicros === null ? null : formatDollars(call.costMicros),
      created_at: call.createdAt.toISOString(),
      finished_at: call.finishedAt?.toISOString() ?? null,
      latency_ms: call.finishedAt === null ? null : call.finishedAt.getTime() - call.createdAt.getTime(),
      key: call.keyFingerprint,
    })),
    ledger: task.transfers.map((transfer) => ({
      id: transfer.id,
      kind: transfer.kind,
      amount: formatDollars(transfer.amountMicros),
      reason: transfer.reason,
      created_at: transfer.createdAt.toISOString(),
    })),
    webhook: task.delivery === null ? null : presentDelivery(task.delivery),
  };
}
