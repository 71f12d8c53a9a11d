import { getHostPort } from '../../runtime/net/index.js';
import { MAX_REASON_LENGTH, type Reason } from '../contract/index.js';
import {
  type CallOutcome,
  type Database,
  FENCE,
  inputRows,
  isInput,
  type OutputRow,
  readSql,
  type Statement,
  saveOutcome,
  TASK_COLUMNS,
  type TaskRow,
  toOutputFields,
} from '../db/index.js';
import type { IdPrefix } from '../ids/index.js';
import { presentTask, presentWebhookEvent, type TaskView } from '../presenters/index.js';
import type { AuditDetail } from './audit-values.js';

/** Reads the task as it is, and the moment at which it may end: never before it was made or begun. */
const READ_TO_SETTLE: Statement = {
  name: 'read-to-settle',
  text: `
WITH ${inputRows('id text, attempt int')}
SELECT ${TASK_COLUMNS}, GREATEST(now()::timestamptz(3), t.created_at, t.started_at) AS "endsAt", i.place
  FROM input i JOIN tasks t ON ${isInput('t.id', 'id')} AND ${FENCE}`,
  batch: { distinct: 'id' },
};

/** Ends tasks whose row is still as `READ_TO_SETTLE` read it. */
const SETTLE_TASK: Statement = {
  name: 'settle-task',
  text: readSql(import.meta.url, 'generated/settle-task.sql'),
  batch: { distinct: 'id', waitingText: readSql(import.meta.url, 'generated/settle-task-waiting.sql') },
};

/** Dependencies of `settleTask`. */
export interface SettleDeps {
  readonly db: Pick<Database, 'run'>;
  readonly newId: (prefix: IdPrefix) => string;
  /** Public base of result URLs, without a trailing slash. */
  readonly fileUrl: string;
}

/** Last image of a task, and the outcome of its only call; null while that is open. */
export interface LastCall {
  readonly output: OutputRow;
  readonly outcome: CallOutcome | null;
}

/** Which attempt of which task ends, and what is said if it ends with nothing. */
export interface SettleInput {
  readonly taskId: string;
  readonly attempt: number;
  /** Reason, or an operator's own text; used when no image is stored (or all are discarded). */
  readonly reason: Reason | string;
  /** True if each object that the attempt put has its row; then the bucket is not searched. */
  readonly isClean?: boolean;
  /** Saved by the settlement; the object of the image is stored. */
  readonly last?: LastCall | null;
  /** Number of the task's calls up to which it may end; it does not end when there are more. */
  readonly callCount?: number;
  /** An operator's end: the task fails although images are stored. */
  readonly discardImages?: boolean;
  /** Written into the audit log as `task.fail` by the same statement. */
  readonly audit?: AuditDetail;
}

/** `settled: false`: the attempt was overtaken or the task has ended already; nothing was changed. */
export type Settlement =
  | {
      readonly settled: true;
      readonly status: 'completed' | 'failed';
      readonly deliveryId: string | null;
      /** Micro-dollars that were charged. */
      readonly costMicros: bigint;
    }
  | { readonly settled: false };

type TaskToSettle = TaskRow & { readonly endsAt: Date };

/**
 * Ends a task: completed and charged for the stored images, or failed at no cost when there are none. Reads the row,
 * computes cost and webhook body in code, and applies all of it in one fenced statement. An image that was stored in
 * between causes another read. Safe to repeat after any error.
 */
export async function settleTask(deps: SettleDeps, input: SettleInput): Promise<Settlement> {
  for (;;) {
    const [task] = await deps.db.run<TaskToSettle>(READ_TO_SETTLE, [
      { id: input.taskId, attempt: input.attempt },
    ]);
    if (!task || task.callCount !== (input.callCount ?? task.callCount)) {
      return { settled: false };
    }
    const settlement = await applySettlement(deps, input, task);
    if (settlement.settled) {
      return settlement;
    }
  }
}

async function applySettlement(
  deps: SettleDeps,
  input: SettleInput,
  task: TaskToSettle,
): Promise<Settlement> {
  // Any other index has its row already.
  const output = input.last?.output.index === task.storedCount ? input.last.output : null;
  const storedCount = task.storedCount + (output === null ? 0 : 1);
  const completed = storedCount > 0 && !input.discardImages;
  const status = completed ? 'completed' : 'failed';
  const costMicros = completed ? task.unitMicros * BigInt(storedCount) : 0n;
  const { reason } = input;
  const { failure, text } = typeof reason === 'string' ? { failure: 'operator', text: reason } : reason;
  const error = completed ? null : [...text].slice(0, MAX_REASON_LENGTH).join('');
  const view: TaskView = {
    ...task,
    outputKeys: output === null ? task.outputKeys : [...task.outputKeys, output.key],
    status,
    costMicros,
    error,
    startedAt: task.startedAt ?? task.endsAt,
    completedAt: task.endsAt,
  };
  const deliveryId = task.webhookUrl === null ? null : deps.newId('msg');
  const { webhookUrl } = task;
  const row = {
    id: task.id,
    account: task.accountId,
    attempt: input.attempt,
    stored: task.storedCount,
    status,
    cost: costMicros,
    error,
    class: completed ? null : failure,
    ends: task.endsAt,
    delivery: deliveryId,
    clean: input.isClean ?? false,
    calls: input.callCount ?? null,
    ...(output !== null && toOutputFields(output)),
    transfer: deps.newId('led'),
    usage: deps.newId('use'),
    host: webhookUrl === null ? null : getHostPort(new URL(webhookUrl)),
    ...(input.audit && { audit: deps.newId('aud'), detail: input.audit }),
    body: webhookUrl === null ? null : JSON.stringify(presentWebhookEvent(presentTask(view, deps.fileUrl))),
  };
  const [outcome] = await saveOutcome(input.last?.outcome ?? null, (fields) =>
    deps.db.run<{ settled: boolean }>(SETTLE_TASK, [{ ...row, ...fields }]),
  );
  return outcome?.settled ? { settled: true, status, deliveryId, costMicros } : { settled: false };
}
