import type { TaskItem } from '@image-gateway/shared/contract';
import type { ListedTask } from '@image-gateway/shared/db';
import { presentTask } from '@image-gateway/shared/presenters';

/** Presents a task in a list: as the public API gives it, and what was asked. */
export function presentTaskItem(row: ListedTask, fileUrl: string): TaskItem {
  return { ...presentTask(row, fileUrl), prompt: row.prompt, num_outputs: row.numOutputs };
}
