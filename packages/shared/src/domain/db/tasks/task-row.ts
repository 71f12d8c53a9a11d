import type {
  AspectRatio,
  CamelCase,
  GenerateRequest,
  Preferences,
  TaskStatus,
  TaskType,
} from '../../contract/index.js';
import type { TaskView } from '../../presenters/index.js';
import { selectField, TASK_FIELD_NAMES } from '../../task/index.js';
import type { Task } from '../generated/client.js';

/** Fields of a request as the row of its task holds them: null where none was given. */
type RequestFields = {
  readonly [Name in Exclude<keyof GenerateRequest, 'image_urls'> as CamelCase<Name>]:
    | Exclude<GenerateRequest[Name], undefined>
    | (undefined extends GenerateRequest[Name] ? null : never);
};

/** Row of `tasks` without what only the database needs, with the keys of its stored images. Money in micro-dollars. */
export interface TaskRow
  extends RequestFields,
    Readonly<
      Pick<
        Task,
        | keyof Omit<TaskView, 'outputKeys' | 'metadata' | 'model'>
        | 'accountId'
        | 'apiKeyId'
        | 'requestId'
        | 'traceparent'
        | 'imageUrls'
        | 'mask'
        | 'phase'
        | 'attempt'
        | 'tries'
        | 'storedCount'
        | 'callCount'
        | 'tidyAttempt'
        | 'dueAt'
        | 'leaseUntil'
        | 'deadlineAt'
        | 'cancelRequestedAt'
        | 'unitMicros'
        | 'holdMicros'
      >
    > {
  readonly type: TaskType;
  readonly wishes: Preferences | null;
  /** Ratios of which a worker sets the one that is nearest to the first input image; null: the ratio stands. */
  readonly shapeRatios: readonly AspectRatio[] | null;
  /** Names of preferences that a route left out. */
  readonly unused: readonly string[] | null;
  readonly status: TaskStatus;
  readonly phase: 'queued' | 'running' | 'done';
  /** In index order. */
  readonly outputKeys: readonly string[];
}

/** Columns of a task that its owner sees. */
export type ShownColumns = Pick<TaskRow, keyof TaskView>;

/** The columns of `ShownColumns`; the table must be named `t` in the statement. */
export const SHOWN_COLUMNS = `
  t.id, t.status, t.model, t.type, t.cost_micros AS "costMicros", t.error, t.created_at AS "createdAt",
  t.started_at AS "startedAt", t.completed_at AS "completedAt", t.metadata,
  ARRAY(SELECT o.key FROM task_outputs o WHERE o.task_id = t.id ORDER BY o.index) AS "outputKeys"`;

const FIELD_COLUMNS = TASK_FIELD_NAMES.filter((name) => name !== 'model' && name !== 'metadata').map(
  selectField,
);

/** The columns of a TaskRow; the table must be named `t` in the statement. */
export const TASK_COLUMNS = `${SHOWN_COLUMNS}, ${FIELD_COLUMNS.join(', ')},
  t.wishes, t.unused,
  t.shape_ratios AS "shapeRatios", t.account_id AS "accountId", t.api_key_id AS "apiKeyId", t.request_id AS "requestId",
    t.traceparent, t.phase,
  t.attempt, t.tries, t.stored_count AS "storedCount", t.call_count AS "callCount", t.tidy_attempt AS "tidyAttempt", t.due_at AS "dueAt",
  t.lease_until AS "leaseUntil", t.deadline_at AS "deadlineAt", t.cancel_requested_at AS "cancelRequestedAt", t.unit_micros AS "unitMicros",
  t.hold_micros AS "holdMicros"`;

/**
 * Condition that a row `t` was not deleted. Without statistics PostgreSQL takes one row in two hundred for one whose `deleted_at` is
 * NULL. It would then sort all tasks of an account for a page instead of walking along their index.
 */
export const NOT_DELETED = "COALESCE(t.deleted_at, 'infinity') >= 'infinity'";
