import type { FullTask } from '../contract/index.js';
import { formatDollars } from '../money/index.js';
import { toProperty, VIEW_NAMES, type ViewName, type ViewProperty } from '../task/index.js';
import { presentTask, type TaskView } from './present-task.js';

/** Fields of a task row that the full view needs beside those of the plain one. */
export interface FullTaskView extends TaskView, Readonly<Record<ViewProperty, string>> {
  readonly numOutputs: number;
  /** In index order. */
  readonly images: readonly {
    readonly key: string;
    readonly width: number;
    readonly height: number;
    readonly bytes: number;
    readonly contentType: string;
    readonly sha256: string;
  }[];
  readonly refundedMicros: bigint | null;
  readonly expiresAt: Date | null;
}

/** Writes a task row as the full view: the public Task, then the images, the request and a refund. */
export function presentFullTask(task: FullTaskView, fileUrl: string): FullTask {
  const images = task.status === 'completed' ? task.images : [];
  return {
    ...presentTask(task, fileUrl),
    images: images.map(({ key, width, height, bytes, contentType, sha256 }) => ({
      url: `${fileUrl}/${key}`,
      width,
      height,
      bytes,
      content_type: contentType,
      sha256,
    })),
    asked: task.numOutputs,
    ...(Object.fromEntries(VIEW_NAMES.map((name) => [name, task[toProperty(name)]])) as Pick<
      FullTask,
      ViewName
    >),
    ...(task.expiresAt !== null && { expires_at: task.expiresAt.toISOString() }),
    ...(task.refundedMicros !== null && { refunded: formatDollars(task.refundedMicros) }),
  };
}
