import type { FullTaskRow } from '@image-gateway/shared/db';
import type { TaskView } from '@image-gateway/shared/presenters';
import type { Reply } from '../../http/framework/call.js';
import { explainFailure } from '../errors/create-error-reply.js';

/** Path below which tasks of asynchronous requests are read. */
export const ASYNC_TASKS_PATH = '/openai/v1/images/tasks';

/** A task is kept for longer, unless its account has a retention; clients ask how long they may read it. */
const READABLE_MS = 24 * 3_600_000;
const HEADERS = { 'Cache-Control': 'no-store' };
const RETRY_SECONDS = 3;

/** Answers an asynchronous request whose task was accepted, in the dialect that sub2api gave its clients. */
export function replyAsyncAccepted(
  task: Pick<TaskView, 'id' | 'createdAt'>,
  { replayed }: { readonly replayed: boolean },
): Reply {
  const pollUrl = `${ASYNC_TASKS_PATH}/${task.id}`;
  return {
    status: 202,
    headers: {
      ...HEADERS,
      Location: pollUrl,
      'Retry-After': String(RETRY_SECONDS),
      'x-gateway-task-id': task.id,
      ...(replayed && { 'Idempotent-Replayed': 'true' }),
    },
    json: { ...describe({ ...task, expiresAt: null }, 'processing'), poll_url: pollUrl },
  };
}

/** Answers with a task as it is now: `processing`, `completed` with its URLs, or `failed` with its error. */
export function replyAsyncTask(task: FullTaskRow, fileUrl: string): Reply {
  if (task.status === 'pending') {
    return {
      status: 200,
      headers: { ...HEADERS, 'Retry-After': String(RETRY_SECONDS) },
      json: describe(task, 'processing'),
    };
  }
  const completed_at = toSeconds(task.completedAt ?? task.createdAt);
  if (task.status === 'failed') {
    const failed = { ...describe(task, 'failed'), completed_at, error: explainFailure(task.error) };
    return { status: 200, headers: HEADERS, json: failed };
  }
  const data = task.images.map(({ key }) => ({ url: `${fileUrl}/${key}` }));
  const result = { created: completed_at, data };
  return {
    status: 200,
    headers: HEADERS,
    // Some clients look for the list where the synchronous answer has it.
    json: { ...describe(task, 'completed'), completed_at, image_url: data[0]?.url, result, data },
  };
}

function describe(
  { id, createdAt, expiresAt }: Pick<FullTaskRow, 'id' | 'createdAt' | 'expiresAt'>,
  status: 'processing' | 'completed' | 'failed',
) {
  return {
    id,
    task_id: id,
    object: 'image.generation.task',
    status,
    created_at: toSeconds(createdAt),
    expires_at: toSeconds(expiresAt ?? new Date(createdAt.getTime() + READABLE_MS)),
  };
}

function toSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1_000);
}
