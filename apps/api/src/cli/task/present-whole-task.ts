import { formatDollars } from '@image-gateway/shared/money';
import { presentDelivery } from '../webhook/present-delivery.js';
import type { WholeTask } from './find-whole-task.js';

/** Presents a task to an operator with all that hangs on it; what the customer wrote only when asked for. */
export function presentWholeTask(task: WholeTask, { verbose }: { readonly verbose: boolean }) {
  const upstreamMicros = task.calls.reduce((sum, { costMicros }) => sum + (costMicros ?? 0n), 0n);
  return {
    id: task.id,
    account_id: task.accountId,
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
    /** What its calls cost the operator, at list price where the provider does not say; unknown outcomes included. */
    upstream_cost: formatDollars(upstreamMicros),
    margin: task.status === 'pending' ? null : formatDollars(task.costMicros - upstreamMicros),
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
