import { CLAIMED_COLUMNS, claimSet } from './claimed-task.js';

/** Condition on a task `t` under which it can be claimed now; `$3` is the number of tries that a task has. */
export const IS_CLAIMABLE = 't.tries < $3::int AND t.deadline_at > now()';

/**
 * The CTEs that claim the tasks of the CTE `picked`, as `claimed`. What was picked is looked at again when it is locked: another
 * worker may have been faster.
 */
export const CLAIM_PICKED = `
due AS MATERIALIZED (
  SELECT t.id FROM tasks t
   WHERE t.id = ANY (ARRAY(SELECT id FROM picked)) AND t.status = 'pending' AND t.phase = 'queued' AND t.due_at <= now()
     AND ${IS_CLAIMABLE}
   FOR UPDATE SKIP LOCKED),
claimed AS (
  UPDATE tasks t SET ${claimSet()} FROM due
   WHERE t.id = due.id AND t.id = ANY (ARRAY(SELECT id FROM due))
  RETURNING ${CLAIMED_COLUMNS})`;
