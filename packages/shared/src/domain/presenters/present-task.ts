import { type Metadata, sortMetadata, type TaskStatus, type TaskType } from '../contract/index.js';
import { formatDollars } from '../money/index.js';
import type { PublicTask } from '../task/schema.js';

/** Fields of a task row and its outputs that the presenter needs. */
export interface TaskView {
  readonly id: string;
  readonly status: TaskStatus;
  readonly model: string;
  readonly type: TaskType;
  readonly costMicros: bigint;
  readonly error: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
  readonly metadata: Metadata | null;
  /** Keys of the stored images in index order, such as `images/gen_…/0.png`. */
  readonly outputKeys: readonly string[];
}

/** Writes a task row as the public Task: the only place that knows which field exists in which status, and in which order. */
export function presentTask(task: TaskView, fileUrl: string): PublicTask {
  const urls = task.outputKeys.map((key) => `${fileUrl}/${key}`);
  return {
    id: task.id,
    status: task.status,
    model: task.model,
    type: task.type,
    ...(task.status === 'completed' && urls[0] !== undefined && { output: { url: urls[0], urls } }),
    ...(task.status === 'failed' && { error: task.error ?? '' }),
    cost: formatDollars(task.status === 'completed' ? task.costMicros : 0n),
    created_at: task.createdAt.toISOString(),
    ...(task.startedAt && { started_at: task.startedAt.toISOString() }),
    ...(task.completedAt && { completed_at: task.completedAt.toISOString() }),
    ...(task.metadata && { metadata: sortMetadata(task.metadata) }),
  };
}
