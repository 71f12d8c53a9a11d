import type { ListedTask } from '@image-gateway/shared/db';
import { presentTask } from '@image-gateway/shared/presenters';
import type { TaskItem } from '@image-gateway/shared/task/schema';

/** Presents a task in a list: as in the public API, with prompt and number of images. */
export function presentTaskItem(row: ListedTask, fileUrl: string): TaskItem {
  return { ...presentTask(row, fileUrl), prompt: row.prompt, num_outputs: row.numOutputs };
}
