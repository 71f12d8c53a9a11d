import type { Database } from '../../create-database.js';
import type { Task } from '../../generated/client.js';
import type { Statement } from '../../statement.js';
import { BY_TIME, TRIED } from '../open-tasks.js';

/** A pending task that no worker will finish any more. */
export type TaskToEnd = Readonly<Pick<Task, 'id' | 'attempt' | 'requestId'>>;

/** How many tasks are claimed, and for how long other workers leave them alone, in milliseconds. */
export interface EndTerms {
  readonly limit: number;
  readonly leaseMs: number;
}

/**
 * Cooldown of an account after one of its tasks could not be ended: its others may fail as well and delay those of all
 * accounts.
 */
const COOLDOWN = "interval '10 seconds'";

// Accounts in a cooldown are few: they are in an index that holds tasks with failures only.
const COOLING_DOWN = `
cooling_down AS MATERIALIZED (
  SELECT DISTINCT account_id FROM tasks WHERE status = 'pending' AND settle_failures > 0 AND settle_failed_at > now() - ${COOLDOWN})`;
const MAY_BE_SWEPT = `(sweep_after IS NULL OR sweep_after <= now()) AND account_id <> ALL (ARRAY(SELECT account_id FROM cooling_down))`;
const claimed = (leaseMs: string): string => `
UPDATE tasks t SET sweep_after = now() + make_interval(secs => ${leaseMs}::float8 / 1000)
  FROM over WHERE t.id = over.id AND t.id = ANY (ARRAY(SELECT id FROM over))
RETURNING t.id, t.attempt, t.request_id AS "requestId"`;

const CLAIM_PAST_DEADLINE: Statement = {
  name: 'claim-tasks-past-deadline',
  text: `
WITH ${COOLING_DOWN},
over AS MATERIALIZED (
  SELECT id FROM tasks
   WHERE status = 'pending' AND ${BY_TIME} AND deadline_at <= now() AND ${MAY_BE_SWEPT}
   ORDER BY deadline_at LIMIT $1::int FOR NO KEY UPDATE SKIP LOCKED)
${claimed('$2')}`,
};

const CLAIM_OUT_OF_TRIES: Statement = {
  name: 'claim-tasks-out-of-tries',
  text: `
WITH ${COOLING_DOWN},
running AS MATERIALIZED (
  SELECT id FROM tasks
   WHERE status = 'pending' AND phase = 'running' AND ${BY_TIME} AND lease_until < now() AND tries + 1 >= $3::int AND ${MAY_BE_SWEPT}
   ORDER BY lease_until LIMIT $1::int FOR NO KEY UPDATE SKIP LOCKED),
queued AS MATERIALIZED (
  SELECT id FROM tasks
   WHERE status = 'pending' AND phase = 'queued' AND ${TRIED} AND due_at <= now() AND tries >= $3::int AND ${MAY_BE_SWEPT}
   ORDER BY due_at LIMIT $1::int FOR NO KEY UPDATE SKIP LOCKED),
over AS (SELECT id FROM running UNION ALL SELECT id FROM queued)
${claimed('$2')}`,
};

/** Claims tasks whose deadline has passed, running ones too, the oldest deadlines first; several workers never get the same one. */
export async function claimTasksPastDeadline(
  db: Pick<Database, 'run'>,
  { limit, leaseMs }: EndTerms,
): Promise<TaskToEnd[]> {
  return db.run<TaskToEnd>(CLAIM_PAST_DEADLINE, [limit, leaseMs]);
}

/** Claims tasks whose last lease ran out, and queued ones that have no try left; several workers never get the same one. */
export async function claimTasksOutOfTries(
  db: Pick<Database, 'run'>,
  { limit, leaseMs, maxTries }: EndTerms & { readonly maxTries: number },
): Promise<TaskToEnd[]> {
  return db.run<TaskToEnd>(CLAIM_OUT_OF_TRIES, [limit, leaseMs, maxTries]);
}
