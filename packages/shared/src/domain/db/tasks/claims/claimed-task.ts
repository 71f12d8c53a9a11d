import { TASK_COLUMNS, type TaskRow } from '../task-row.js';

/** A task that has just been claimed, with what the database's clock says about it. */
export interface ClaimedTask extends TaskRow {
  /** Milliseconds until the deadline at the moment of the claim; above zero. */
  readonly deadlineInMs: number;
}

/** Terms of a claim: worker, lease and maximum of tries. */
export interface ClaimTerms {
  /** Seen in `tasks.worker_id`. */
  readonly workerId: string;
  readonly leaseMs: number;
  readonly maxTries: number;
}

/** The columns of a ClaimedTask; the table must be named `t` in the statement. */
export const CLAIMED_COLUMNS = `${TASK_COLUMNS},
  (EXTRACT(EPOCH FROM t.deadline_at - now()) * 1000)::float8 AS "deadlineInMs"`;

/**
 * Assignments of every claim. The SQL expressions `worker` and `leaseMs` are `$1` and `$2` unless given. A lease that
 * ran out costs a try. The start never lies before the creation, whose milliseconds PostgreSQL may have rounded up.
 */
export const claimSet = (worker = '$1', leaseMs = '$2'): string => `
  phase = 'running', attempt = t.attempt + 1,
  tries = t.tries + CASE t.phase WHEN 'running' THEN 1 ELSE 0 END, worker_id = ${worker},
  lease_until = now() + make_interval(secs => (${leaseMs})::float8 / 1000),
  started_at = COALESCE(t.started_at, GREATEST(now(), t.created_at))`;
