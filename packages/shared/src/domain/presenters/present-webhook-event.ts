import type { PublicTask, WebhookEvent } from '../task/schema.js';

/** Writes the webhook event of a finished task; its `data` is the very object that the task endpoint answers with. */
export function presentWebhookEvent(task: PublicTask): WebhookEvent {
  return {
    type: task.status === 'completed' ? 'task.completed' : 'task.failed',
    timestamp: task.completed_at ?? task.created_at,
    data: task,
  };
}
