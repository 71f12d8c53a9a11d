import type { Database } from '../../create-database.js';
import type { Statement } from '../../statement.js';
import { BY_ACCOUNT, BY_TIME } from '../open-tasks.js';
import { CLAIMED_COLUMNS, type ClaimedTask, type ClaimTerms, claimSet } from './claimed-task.js';

/** Condition on a task `t` under which it can be claimed now; `$3` is the number of tries that a task has. */
const IS_CLAIMABLE = 't.tries < $3::int AND t.deadline_at > now()';

/**
 * CTEs that claim the tasks of the CTE `picked`, as `claimed`. Picked tasks are checked again under their lock: another
 * worker may have been faster.
 */
const CLAIM_PICKED = `
due AS MATERIALIZED (
  SELECT t.id FROM tasks t
   WHERE t.id = ANY (ARRAY(SELECT id FROM picked)) AND t.status = 'pending' AND t.phase = 'queued' AND t.due_at <= now()
     AND ${IS_CLAIMABLE}
   FOR UPDATE SKIP LOCKED),
claimed AS (
  UPDATE tasks t SET ${claimSet()} FROM due
   WHERE t.id = due.id AND t.id = ANY (ARRAY(SELECT id FROM due))
  RETURNING ${CLAIMED_COLUMNS})`;

/** Which tasks are claimed, and how many. */
export interface TurnsInput {
  readonly limit: number;
  /** How long a task has to have been due, in milliseconds. */
  readonly overdueMs: number;
  /** The account after which the turns begin; an empty text for the first one. */
  readonly after: string;
  /** Accounts that get nothing. */
  readonly blocked: readonly string[];
  /** Maximum number of tasks of one account. */
  readonly perAccount: number;
}

/** Claimed tasks, and the account after which the turns go on: an empty text after the last account. */
export interface Turns {
  readonly tasks: ClaimedTask[];
  readonly next: string;
}

/** Number of due tasks up to which a look reads them all. */
const MAX_FEW = 250;

// As long as few tasks are due, they are all read by time: tasks and accounts that wait for later cost nothing.
const CLAIM_FEW_IN_TURNS: Statement = {
  name: 'claim-few-in-turns',
  text: `
WITH few AS MATERIALIZED (
  SELECT t.id, t.account_id, t.due_at, ${IS_CLAIMABLE} AND t.account_id <> ALL($7::text[]) AS is_open
    FROM tasks t
   WHERE t.status = 'pending' AND t.phase = 'queued' AND ${BY_TIME} AND t.due_at <= now() - make_interval(secs => $5::float8 / 1000)
   ORDER BY t.due_at LIMIT $9::int),
picked AS MATERIALIZED (
  SELECT p.id, p.account_id
    FROM (SELECT id, account_id, row_number() OVER (PARTITION BY account_id ORDER BY due_at) AS round
            FROM few WHERE is_open AND (SELECT count(*) FROM few) < $9::int) p
   WHERE p.round <= $8::int
   ORDER BY p.round, p.account_id <= $6, p.account_id LIMIT $4::int),
${CLAIM_PICKED}
SELECT f.due, COALESCE(l.account_id, $6) AS next, c.*
  FROM (SELECT count(*)::int AS due FROM few) f
  LEFT JOIN (SELECT account_id FROM picked ORDER BY account_id > $6, account_id DESC LIMIT 1) l ON true
  LEFT JOIN claimed c ON true`,
};

// The query jumps through the index from one account to the next, over a limited number of them. Neither a long backlog
// nor accounts with nothing due cost more than a few index reads.
const CLAIM_IN_TURNS: Statement = {
  name: 'claim-in-turns',
  text: `
WITH RECURSIVE turns AS (
  SELECT $6::text AS account_id, false AS is_open, 0 AS visited, 0 AS opened
  UNION ALL
  SELECT next.account_id, next.is_open, turns.visited + 1, turns.opened + next.is_open::int
    FROM turns CROSS JOIN LATERAL (
      SELECT t.account_id,
             t.due_at <= now() - make_interval(secs => $5::float8 / 1000) AND t.account_id <> ALL($7::text[]) AS is_open
        FROM tasks t
       WHERE t.status = 'pending' AND t.phase = 'queued' AND ${BY_ACCOUNT} AND t.account_id > turns.account_id
       ORDER BY t.account_id, t.due_at LIMIT 1) next
   WHERE turns.visited < $9::int AND turns.opened < $4::int),
open AS MATERIALIZED (SELECT account_id, visited AS turn FROM turns WHERE is_open),
picked AS MATERIALIZED (
  SELECT p.id
    FROM open CROSS JOIN LATERAL (
      SELECT t.id, row_number() OVER (ORDER BY t.due_at) AS round FROM tasks t
       WHERE t.account_id = open.account_id AND t.status = 'pending' AND t.phase = 'queued' AND ${BY_ACCOUNT}
         AND t.due_at <= now() - make_interval(secs => $5::float8 / 1000) AND ${IS_CLAIMABLE}
       ORDER BY t.due_at
       LIMIT LEAST($8::int, (SELECT ceil($4::float8 / GREATEST(count(*), 1)) FROM open))) p
   ORDER BY p.round, open.turn LIMIT $4::int),
${CLAIM_PICKED}
SELECT l.next, c.*
  FROM (SELECT CASE WHEN visited < $9::int AND opened < $4::int THEN '' ELSE account_id END AS next
          FROM turns ORDER BY visited DESC LIMIT 1) l LEFT JOIN claimed c ON true`,
};

type Row = { readonly due?: number; readonly next: string } & (ClaimedTask | { readonly id: null });

/**
 * Claims due tasks when few enough are due to check them all, however many tasks and accounts wait for later; null when
 * there are more. The order is that of `claimInTurns`, and goes on from the last account to the first.
 */
export async function claimFewInTurns(
  db: Pick<Database, 'run'>,
  terms: ClaimTerms,
  input: TurnsInput,
): Promise<Turns | null> {
  const rows = await db.run<Row>(CLAIM_FEW_IN_TURNS, [...toValues(terms, input), MAX_FEW]);
  return (rows[0]?.due ?? 0) < MAX_FEW ? toTurns(rows) : null;
}

/**
 * Claims due tasks in turns: one of each account, then the next of each, the oldest of an account first. Several
 * workers never get the same one. Reads `maxVisited` accounts, and at most `limit` that have something due.
 */
export async function claimInTurns(
  db: Pick<Database, 'run'>,
  terms: ClaimTerms,
  input: TurnsInput & { readonly maxVisited: number },
): Promise<Turns> {
  return toTurns(await db.run<Row>(CLAIM_IN_TURNS, [...toValues(terms, input), input.maxVisited]));
}

function toValues({ workerId, leaseMs, maxTries }: ClaimTerms, input: TurnsInput): unknown[] {
  const { limit, overdueMs, after, blocked, perAccount } = input;
  return [workerId, leaseMs, maxTries, limit, overdueMs, after, blocked, perAccount];
}

function toTurns(rows: readonly Row[]): Turns {
  return { tasks: rows.flatMap((row) => (row.id === null ? [] : [row])), next: rows[0]?.next ?? '' };
}
