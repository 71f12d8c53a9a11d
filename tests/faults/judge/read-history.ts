import type { TestDatabase } from '@image-gateway/testing';

/** History of a task, as the database records it. */
export interface TaskHistory {
  readonly id: string;
  readonly requestId: string;
  readonly status: 'pending' | 'completed' | 'failed';
  readonly attempt: number;
  readonly tries: number;
  readonly callCount: number;
  readonly numOutputs: number;
  readonly storedCount: number;
  readonly costMicros: number;
  readonly idemKey: string | null;
  readonly webhookUrl: string | null;
  readonly error: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
  readonly outputs: readonly { readonly key: string; readonly sha256: string; readonly bytes: number }[];
  readonly deliveryId: string | null;
  readonly deliveryState: string | null;
  readonly captures: number;
}

const SQL = `
SELECT t.id, t.request_id AS "requestId", t.status, t.attempt, t.tries, t.call_count AS "callCount",
       t.num_outputs AS "numOutputs", t.stored_count AS "storedCount", t.cost_micros::float8 AS "costMicros",
       t.idem_key AS "idemKey", t.webhook_url AS "webhookUrl", t.error, t.created_at AS "createdAt",
       t.started_at AS "startedAt", t.completed_at AS "completedAt",
       COALESCE((SELECT json_agg(json_build_object('key', o.key, 'sha256', o.sha256, 'bytes', o.bytes) ORDER BY o.index)
                   FROM task_outputs o WHERE o.task_id = t.id), '[]') AS outputs,
       w.id AS "deliveryId", w.state AS "deliveryState",
       (SELECT count(*)::int FROM ledger_transfers l WHERE l.task_id = t.id AND l.kind = 'capture') AS captures
  FROM tasks t LEFT JOIN webhook_deliveries w ON w.task_id = t.id
 WHERE t.account_id = $1 ORDER BY t.created_at, t.id`;

/** Reads all tasks of an account with what belongs to them. */
export async function readHistory(database: TestDatabase, accountId: string): Promise<TaskHistory[]> {
  return (await database.pool.query<TaskHistory>(SQL, [accountId])).rows;
}
