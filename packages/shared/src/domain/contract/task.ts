/** Public states of a task. */
export const TASK_STATUSES = ['pending', 'completed', 'failed'] as const;
/** A public state of a task. */
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** Types of task: generating images from a prompt, or editing given ones. */
export const TASK_TYPES = ['image_generate', 'image_edit'] as const;
/** A type of task. */
export type TaskType = (typeof TASK_TYPES)[number];

/** A task as `GET /v1/tasks/{id}` and the webhook show it; what does not apply is absent, never null. */
export interface PublicTask {
  readonly id: string;
  readonly status: TaskStatus;
  readonly model: string;
  readonly type: TaskType;
  readonly output?: { readonly url: string; readonly urls: readonly string[] };
  readonly error?: string;
  /** Dollar string. */
  readonly cost: string;
  readonly created_at: string;
  readonly started_at?: string;
  readonly completed_at?: string;
}
