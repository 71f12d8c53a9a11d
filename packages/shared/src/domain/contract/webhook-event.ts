import type { PublicTask } from './task.js';

/** The body of a webhook; `data` is byte for byte what `GET /v1/tasks/{id}` gives. */
export interface WebhookEvent {
  readonly type: 'task.completed' | 'task.failed';
  /** When the task ended, ISO 8601. */
  readonly timestamp: string;
  readonly data: PublicTask;
}
