import { isUniqueViolation, type LedgerTransfer, type Statement, type Task } from '../db/index.js';
import { AppError, notFound } from '../errors/index.js';
import { auditValues } from './audit-values.js';
import type { MoneyDeps } from './credit-account.js';

const REFUND_TASK: Statement = {
  name: 'refund-task',
  text: `
WITH task AS (SELECT id, account_id, cost_micros FROM tasks WHERE id = $1 AND status = 'completed' AND cost_micros > 0),
account AS (
  UPDATE accounts a SET balance_micros = a.balance_micros + task.cost_micros FROM task WHERE a.id = task.account_id
  RETURNING a.id),
audit AS (
  INSERT INTO audit_entries (id, action, subject, detail)
  SELECT $4, 'task.refund', task.id, $5::jsonb FROM task, account WHERE $4::text IS NOT NULL)
INSERT INTO ledger_transfers (id, kind, debit_account, credit_account, amount_micros, account_id, task_id, reason)
SELECT $2, 'refund', 'revenue', 'cust:' || account.id, task.cost_micros, account.id, task.id, $3 FROM task, account
RETURNING amount_micros AS "amountMicros"`,
};

const FIND_STATUS: Statement = {
  name: 'find-status-to-refund',
  text: 'SELECT status FROM tasks WHERE id = $1',
};

/**
 * Gives back all that a completed task cost, once. Throws AppError `NOT_FOUND`, or `BAD_REQUEST` when nothing was charged or it
 * was given back already.
 */
export async function refundTask(
  deps: MoneyDeps,
  input: {
    readonly taskId: string;
    readonly reason: string;
    /** Author, whom the audit log names by the same statement; without one there is no entry. */
    readonly actor?: string;
  },
): Promise<{ readonly amountMicros: bigint }> {
  try {
    const [transfer] = await deps.db.run<Pick<LedgerTransfer, 'amountMicros'>>(REFUND_TASK, [
      input.taskId,
      deps.newId('led'),
      input.reason,
      ...auditValues(deps.newId, input.actor, { reason: input.reason }),
    ]);
    if (transfer) {
      return transfer;
    }
  } catch (error) {
    if (!isUniqueViolation(error, 'ledger_transfers_refund')) {
      throw error;
    }
    throw new AppError('BAD_REQUEST', { publicMessage: `Task ${input.taskId} was refunded already.` });
  }
  const [task] = await deps.db.run<Pick<Task, 'status'>>(FIND_STATUS, [input.taskId]);
  if (!task) {
    throw notFound('task', input.taskId);
  }
  throw new AppError('BAD_REQUEST', {
    publicMessage: `Task ${input.taskId} is ${task.status}: only a completed task was charged and can be refunded.`,
  });
}
