import type { Database } from '../db/index.js';
import { createAccountLanes } from './account-lanes.js';
import { SETTLE_TASKS, SETTLE_TASKS_WAITING } from './settle-sql.js';

/** The end of a task, worked out from its row as it was read. */
export interface TaskEnd {
  readonly id: string;
  readonly accountId: string;
  readonly attempt: number;
  readonly storedCount: number;
  readonly status: 'completed' | 'failed';
  readonly costMicros: bigint;
  readonly error: string | null;
  readonly endsAt: Date;
  /** Ids of what is written: ledger transfer, usage record, webhook delivery. */
  readonly transferId: string;
  readonly usageId: string;
  readonly deliveryId: string | null;
  readonly hostPort: string | null;
  readonly body: string | null;
}

/** Ends a task; false when its row is no longer as it was read. Throws AppError. */
export type SettleTask = (end: TaskEnd) => Promise<boolean>;

interface Outcome {
  readonly settled: boolean;
  readonly locked: boolean;
}

/** Makes the function that ends tasks with one statement each. */
export function createTaskSettler({ db }: { readonly db: Pick<Database, 'run'> }): SettleTask {
  return async (end) => {
    const [outcome] = await db.run<Outcome>(SETTLE_TASKS_WAITING, [JSON.stringify([rowOf(end)])]);
    return outcome?.settled ?? false;
  };
}

/** Makes the function that ends tasks many at a time, as account lanes do; a task whose end the database refuses fails alone. */
export function createBatchedTaskSettler({ db }: { readonly db: Pick<Database, 'run'> }): SettleTask {
  const settle = createAccountLanes<TaskEnd, Outcome>({
    accountOf: ({ accountId }) => accountId,
    keyOf: ({ id }) => id,
    run: (ends, { wait }) =>
      db.run(wait ? SETTLE_TASKS_WAITING : SETTLE_TASKS, [JSON.stringify(ends.map(rowOf))]),
  });
  return async (end) => (await settle(end)).settled;
}

function rowOf(end: TaskEnd): Record<string, unknown> {
  return {
    id: end.id,
    account: end.accountId,
    attempt: end.attempt,
    stored: end.storedCount,
    status: end.status,
    cost: String(end.costMicros),
    error: end.error,
    ends: end.endsAt,
    transfer: end.transferId,
    usage: end.usageId,
    delivery: end.deliveryId,
    host: end.hostPort,
    body: end.body,
  };
}
