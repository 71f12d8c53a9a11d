import { BY_TIME, type Database, type Statement } from '@image-gateway/shared/db';
import { IS_STUCK } from './find-system.js';

/** A pending task of any account. Money in micro-dollars. */
export interface OpenTask {
  readonly id: string;
  readonly accountId: string;
  readonly email: string;
  readonly model: string;
  readonly phase: string;
  readonly tries: number;
  readonly attempt: number;
  readonly storedCount: number;
  readonly numOutputs: number;
  readonly workerId: string | null;
  readonly holdMicros: bigint;
  readonly createdAt: Date;
  readonly dueAt: Date;
  readonly leaseUntil: Date | null;
  readonly deadlineAt: Date;
  readonly isStuck: boolean;
}

const LIST_OPEN_TASKS: Statement = {
  name: 'dashboard-open-tasks',
  text: `
SELECT t.id, t.account_id AS "accountId", a.email, t.model, t.phase, t.tries, t.attempt, t.stored_count AS "storedCount",
       t.num_outputs AS "numOutputs", t.worker_id AS "workerId", t.hold_micros AS "holdMicros",
       t.created_at AS "createdAt", t.due_at AS "dueAt", t.lease_until AS "leaseUntil", t.deadline_at AS "deadlineAt",
       ${IS_STUCK} AS "isStuck"
  FROM tasks t JOIN accounts a ON a.id = t.account_id
 WHERE t.status = 'pending' AND ${BY_TIME} AND (NOT $1::bool OR ${IS_STUCK})
 ORDER BY t.deadline_at, t.id LIMIT $2::int`,
};

/** Lists pending tasks of all accounts, those that end first at the top. */
export async function listOpenTasks(
  db: Pick<Database, 'run'>,
  { onlyStuck, limit }: { readonly onlyStuck: boolean; readonly limit: number },
): Promise<readonly OpenTask[]> {
  return db.run<OpenTask>(LIST_OPEN_TASKS, [onlyStuck, limit]);
}
