import type { AspectRatio, Resolution, TaskStatus, TaskType } from '../../contract/index.js';

/** A row of `tasks` with the keys of its stored images. Money in micro-dollars. */
export interface TaskRow {
  readonly id: string;
  readonly accountId: string;
  readonly apiKeyId: string;
  readonly requestId: string;
  readonly model: string;
  readonly type: TaskType;
  readonly prompt: string;
  readonly negativePrompt: string | null;
  readonly aspectRatio: AspectRatio;
  readonly resolution: Resolution;
  readonly numOutputs: number;
  readonly imageUrls: readonly string[];
  readonly webhookUrl: string | null;
  readonly status: TaskStatus;
  readonly phase: 'queued' | 'running' | 'done';
  readonly attempt: number;
  readonly tries: number;
  readonly storedCount: number;
  readonly callCount: number;
  readonly dueAt: Date;
  readonly leaseUntil: Date | null;
  readonly deadlineAt: Date;
  readonly unitMicros: bigint;
  readonly holdMicros: bigint;
  readonly costMicros: bigint;
  readonly error: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
  /** In index order. */
  readonly outputKeys: readonly string[];
}

/** The columns of a TaskRow; the table must be named `t` in the statement. */
export const TASK_COLUMNS = `
  t.id, t.account_id AS "accountId", t.api_key_id AS "apiKeyId", t.request_id AS "requestId", t.model, t.type,
  t.prompt, t.negative_prompt AS "negativePrompt", t.aspect_ratio AS "aspectRatio", t.resolution,
  t.num_outputs AS "numOutputs", t.image_urls AS "imageUrls", t.webhook_url AS "webhookUrl", t.status, t.phase,
  t.attempt, t.tries, t.stored_count AS "storedCount", t.call_count AS "callCount", t.due_at AS "dueAt",
  t.lease_until AS "leaseUntil", t.deadline_at AS "deadlineAt", t.unit_micros AS "unitMicros",
  t.hold_micros AS "holdMicros", t.cost_micros AS "costMicros", t.error, t.created_at AS "createdAt",
  t.started_at AS "startedAt", t.completed_at AS "completedAt",
  ARRAY(SELECT o.key FROM task_outputs o WHERE o.task_id = t.id ORDER BY o.index) AS "outputKeys"`;
