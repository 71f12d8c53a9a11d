import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import { CLAIMED_COLUMNS, type ClaimedTask, type ClaimTerms, claimSet } from './claimed-task.js';
import { BY_ACCOUNT } from './open-tasks.js';

/** Which tasks are claimed, and how many. */
export interface TurnsInput {
  readonly limit: number;
  /** How long a task has to have been due, in milliseconds. */
  readonly overdueMs: number;
  /** The account after which the turns begin; an empty text for the first one. */
  readonly after: string;
  /** Accounts that get nothing. */
  readonly barred: readonly string[];
  /** Most tasks of one account. */
  readonly perAccount: number;
}

// The accounts are found by jumping through the index from one to the next, so that a backlog of any length costs a few
// look-ups. What is picked is looked at again when it is locked: another worker may have been faster.
const CLAIM_IN_TURNS: Statement = {
  name: 'claim-in-turns',
  text: `
WITH RECURSIVE turns AS (
  (SELECT t.account_id, 1 AS turn FROM tasks t
    WHERE t.status = 'pending' AND t.phase = 'queued' AND ${BY_ACCOUNT} AND t.account_id > $6 ORDER BY t.account_id LIMIT 1)
  UNION ALL
  SELECT next.account_id, turns.turn + 1
    FROM turns CROSS JOIN LATERAL (
      SELECT t.account_id FROM tasks t
       WHERE t.status = 'pending' AND t.phase = 'queued' AND ${BY_ACCOUNT} AND t.account_id > turns.account_id
       ORDER BY t.account_id LIMIT 1) next
   WHERE turns.turn < $4::int + cardinality($7::text[])),
open AS MATERIALIZED (SELECT account_id, turn FROM turns WHERE account_id <> ALL($7::text[])),
picked AS MATERIALIZED (
  SELECT p.id
    FROM open CROSS JOIN LATERAL (
      SELECT t.id, row_number() OVER (ORDER BY t.due_at) AS round FROM tasks t
       WHERE t.account_id = open.account_id AND t.status = 'pending' AND t.phase = 'queued' AND ${BY_ACCOUNT}
         AND t.due_at <= now() - make_interval(secs => $5::float8 / 1000) AND t.tries < $3::int AND t.deadline_at > now()
       ORDER BY t.due_at
       LIMIT LEAST($8::int, (SELECT ceil($4::float8 / GREATEST(count(*), 1)) FROM open))) p
   ORDER BY p.round, open.turn LIMIT $4::int),
due AS MATERIALIZED (
  SELECT t.id FROM tasks t
   WHERE t.id = ANY (ARRAY(SELECT id FROM picked)) AND t.status = 'pending' AND t.phase = 'queued' AND t.due_at <= now()
     AND t.tries < $3::int AND t.deadline_at > now()
   FOR UPDATE SKIP LOCKED)
UPDATE tasks t SET ${claimSet()} FROM due
 WHERE t.id = due.id AND t.id = ANY (ARRAY(SELECT id FROM due))
RETURNING ${CLAIMED_COLUMNS}`,
};

/** Claims due tasks, one of each account in turn and then the next of each, the oldest of an account first; several workers never get the same one. */
export async function claimInTurns(
  db: Pick<Database, 'run'>,
  { workerId, leaseMs, maxTries }: ClaimTerms,
  { limit, overdueMs, after, barred, perAccount }: TurnsInput,
): Promise<ClaimedTask[]> {
  const values = [workerId, leaseMs, maxTries, limit, overdueMs, after, barred, perAccount];
  return db.run<ClaimedTask>(CLAIM_IN_TURNS, values);
}
