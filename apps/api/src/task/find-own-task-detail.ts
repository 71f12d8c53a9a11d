import type { GivenRequest } from '@image-gateway/shared/contract';
import { findFiles, findFullTask, findOwnTask, type TaskRow } from '@image-gateway/shared/db';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { notFound } from '@image-gateway/shared/errors';
import { fileId, parseInputEntry } from '@image-gateway/shared/ids';
import { formatDollars } from '@image-gateway/shared/money';
import { presentTask } from '@image-gateway/shared/presenters';
import { BODY_NAMES, toProperty } from '@image-gateway/shared/task';
import type { TaskDetail, TaskWait } from '@image-gateway/shared/task/schema';
import { presentDeliveryItem } from '../webhook/deliveries.js';

/** States of provider calls whose job goes on at the provider. */
const RUNNING_CALLS = ['started', 'submitted'];

/** Dependencies of showing a task to its owner. */
export interface OwnTaskDeps {
  readonly db: PrismaDatabase;
  readonly fileUrl: string;
  readonly retentionDays: number | undefined;
  /** TASK_MAX_ATTEMPTS. */
  readonly maxTries: number;
}

/** Returns a task with everything that its owner may see. Throws AppError `NOT_FOUND`, also for a task of another account. */
export async function findOwnTaskDetail(
  { db, fileUrl, retentionDays, maxTries }: OwnTaskDeps,
  { accountId, id }: { readonly accountId: string; readonly id: string },
): Promise<TaskDetail> {
  const task = await findOwnTask(db, id, accountId);
  if (!task) {
    throw notFound('task', id);
  }
  const attempts = { orderBy: { attempt: 'desc' } } as const;
  const { prisma } = db;
  const [key, outputs, delivery, full, inputs, wait] = await Promise.all([
    prisma.apiKey.findFirst({ where: { id: task.apiKeyId, accountId }, select: { name: true } }),
    prisma.taskOutput.findMany({ where: { taskId: id }, orderBy: { index: 'asc' } }),
    prisma.webhookDelivery.findUnique({ where: { taskId: id }, include: { attempts } }),
    findFullTask(db, { id, accountId, retentionDays }),
    nameInputs(db, task),
    findWait(db, task, maxTries),
  ]);
  const { expiresAt = null, refundedMicros = null } = full ?? {};
  return {
    ...presentTask(task, fileUrl),
    prompt: task.prompt,
    num_outputs: task.numOutputs,
    phase: task.phase,
    wait,
    is_canceling: task.status === 'pending' && task.cancelRequestedAt !== null,
    stored: task.storedCount,
    request: presentRequest(task, inputs),
    lost_inputs: task.imageUrls.length - inputs.length,
    has_mask: task.mask !== null,
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

/** Returns the input images of a task as a request can name them, without those that are gone. */
async function nameInputs(db: PrismaDatabase, { accountId, imageUrls }: TaskRow): Promise<string[]> {
  const ids = imageUrls.flatMap((entry) => parseInputEntry(entry)?.id ?? []);
  const files = ids.length === 0 ? [] : await findFiles(db, { accountId, ids });
  return imageUrls.flatMap((entry) => {
    const upload = parseInputEntry(entry);
    if (!upload) {
      return entry;
    }
    return files.some(({ id }) => id === upload.id) ? fileId(upload.id) : [];
  });
}

function presentRequest(task: TaskRow, inputs: readonly string[]): GivenRequest {
  const given = BODY_NAMES.flatMap((name) => {
    const value = name === 'image_urls' ? inputs : task[toProperty(name)];
    return value === null || (Array.isArray(value) && value.length === 0) ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given) as unknown as GivenRequest;
}

/** Tells by the row of a task, and the calls of its last attempt, why it is not being drawn. */
async function findWait(
  { prisma }: PrismaDatabase,
  { id, phase, dueAt, attempt, tries }: TaskRow,
  maxTries: number,
): Promise<TaskWait | null> {
  if (phase !== 'queued') {
    return null;
  }
  const count = { next_try: tries + 1, max_tries: maxTries };
  if (dueAt.getTime() <= Date.now()) {
    return { reason: 'worker', next_try_at: null, ...count };
  }
  const calls = await prisma.providerCall.findMany({
    where: { taskId: id, OR: [{ attempt }, { state: { in: RUNNING_CALLS } }] },
    select: { state: true },
  });
  return { reason: getReason(calls, tries), next_try_at: dueAt.toISOString(), ...count };
}

function getReason(calls: readonly { readonly state: string }[], tries: number): TaskWait['reason'] {
  if (calls.some(({ state }) => RUNNING_CALLS.includes(state))) {
    return 'provider-works';
  }
  // Only the end of a failed attempt uses a try.
  const hasFailed = calls.some(({ state }) => ['failed', 'unusable', 'unknown'].includes(state));
  return tries > 0 && hasFailed ? 'provider-failed' : 'pause';
}
