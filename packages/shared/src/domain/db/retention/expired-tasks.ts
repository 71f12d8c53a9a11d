import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import { ERASED_VALUES, eraseParts } from '../tasks/erase-task.js';
import { AFTER_MARK, dueBefore, type ErasureTerms, keptUntil } from './retention-term.js';

/** Accounts of one look: a few milliseconds each. */
const PAGE_SIZE = 500;

const FIND_EXPIRING_ACCOUNTS: Statement = {
  name: 'find-expiring-accounts',
  text: `
WITH page AS MATERIALIZED (SELECT id, retention_days FROM accounts WHERE id > $1 ORDER BY id LIMIT $3::int)
SELECT max(a.id) AS last,
       COALESCE(array_agg(a.id ORDER BY a.id) FILTER (WHERE first.is_due), '{}') AS due
  FROM page a LEFT JOIN retention_marks m ON m.account_id = a.id
  LEFT JOIN LATERAL (
    SELECT t.status <> 'pending' AND ${keptUntil('$2')} <= now() AS is_due FROM tasks t
     WHERE t.account_id = a.id AND ${AFTER_MARK} AND t.created_at < ${dueBefore('$2')}
     ORDER BY t.created_at, t.id LIMIT 1) first ON true`,
};

/** Yields the ids of accounts that have expired tasks, page by page. */
export async function* findExpiringAccounts(
  db: Pick<Database, 'run'>,
  { days, signal }: ErasureTerms,
): AsyncGenerator<readonly string[]> {
  let after: string | null = '';
  while (after !== null && !signal.aborted) {
    const [page]: { readonly last: string | null; readonly due: readonly string[] }[] = await db.run(
      FIND_EXPIRING_ACCOUNTS,
      [after, days, PAGE_SIZE],
    );
    after = page?.last ?? null;
    yield page?.due ?? [];
  }
}

/** Expired tasks of an account that are not yet erased. */
export interface ExpiredTasks {
  readonly accountId: string;
  /** Days of its retention. */
  readonly days: number;
  readonly tasks: number;
  readonly images: number;
  /** Bytes of the images. */
  readonly bytes: number;
}

const COUNT_EXPIRED: Statement = {
  name: 'count-expired-tasks',
  text: `
SELECT a.id AS "accountId", COALESCE(a.retention_days, $2::float8) AS days, count(DISTINCT t.id)::int AS tasks,
       count(o.key)::int AS images, COALESCE(sum(o.bytes), 0)::float8 AS bytes
  FROM accounts a LEFT JOIN retention_marks m ON m.account_id = a.id
  JOIN tasks t ON t.account_id = a.id AND ${AFTER_MARK} AND t.created_at < ${dueBefore('$2')}
  LEFT JOIN task_outputs o ON o.task_id = t.id
 WHERE a.id = $1 AND t.status <> 'pending' AND t.erased_at IS NULL AND ${keptUntil('$2')} <= now()
 GROUP BY a.id`,
};

/** Yields what a run of the retention would erase, account by account. */
export async function* countExpiredTasks(
  db: Pick<Database, 'run'>,
  terms: ErasureTerms,
): AsyncGenerator<ExpiredTasks> {
  for await (const accounts of findExpiringAccounts(db, terms)) {
    for (const accountId of accounts) {
      yield* await db.run<ExpiredTasks>(COUNT_EXPIRED, [accountId, terms.days]);
    }
  }
}

/** Progress of erasing expired tasks. */
export interface ErasureStep {
  /** Tasks that the step erased. */
  readonly tasks: number;
  /** True while the images of erased tasks are being removed, for which the next step waits. */
  readonly isWaiting: boolean;
}

/** Tasks of an account in one statement; then the next account has its turn. */
const BATCH_SIZE = 100;
/** Looks at objects that may be due: customers who delete tasks wait behind them. */
const MAX_DUE_CHECKS = 500;
const POLL_MS = 500;

// The mark stops before the first task that is pending or not yet due, and moves with the tasks that it passes, in one statement.
// Two sessions may run it at a time: the second finds nothing left to erase, and never moves the mark back.
const ERASE_EXPIRED: Statement = {
  name: 'erase-expired-tasks',
  text: `
WITH old AS MATERIALIZED (
  SELECT t.id, t.created_at, t.status <> 'pending' AND ${keptUntil('$2')} <= now() AS is_due
    FROM accounts a LEFT JOIN retention_marks m ON m.account_id = a.id
    CROSS JOIN LATERAL (
      SELECT t.id, t.created_at, t.status, t.completed_at FROM tasks t
       WHERE t.account_id = a.id AND ${AFTER_MARK} AND t.created_at < ${dueBefore('$2')}
       ORDER BY t.created_at, t.id LIMIT $3::int) t
   WHERE a.id = $1),
due AS MATERIALIZED (
  SELECT id, created_at FROM (
    SELECT id, created_at, bool_and(is_due) OVER (ORDER BY created_at, id) AS is_reached FROM old) o WHERE is_reached),
erased AS (
  UPDATE tasks t SET ${ERASED_VALUES}
    FROM due WHERE t.id = due.id AND t.erased_at IS NULL
  RETURNING t.id),
${eraseParts('erased')},
mark AS (
  INSERT INTO retention_marks AS m (account_id, created_at, task_id)
  SELECT $1, created_at, id FROM due ORDER BY created_at DESC, id DESC LIMIT 1
  ON CONFLICT (account_id) DO UPDATE SET created_at = EXCLUDED.created_at, task_id = EXCLUDED.task_id
   WHERE (EXCLUDED.created_at, EXCLUDED.task_id) > (m.created_at, m.task_id))
SELECT (SELECT count(*) FROM erased)::int AS tasks, (SELECT count(*) FROM due)::int AS due`,
};

const HAS_DUE_CHECKS: Statement = {
  name: 'has-due-orphan-checks',
  text: `
SELECT count(*) >= $1::int AS "isFull" FROM (SELECT FROM orphan_checks WHERE due_at <= now() LIMIT $1::int) c`,
};

/**
 * Erases the finished tasks that are older than their retention: of each account some, in turns, until none is left or the signal is
 * aborted. Yields after each statement. Safe to run in several processes, and to end at any moment: what is left is found again.
 */
export async function* eraseExpiredTasks(
  db: Pick<Database, 'run'>,
  { days, signal }: ErasureTerms,
): AsyncGenerator<ErasureStep> {
  const isAborted = (): boolean => signal.aborted;
  let isMore = true;
  while (isMore && !isAborted()) {
    isMore = false;
    for await (const accounts of findExpiringAccounts(db, { days, signal })) {
      for (const accountId of accounts) {
        yield* waitForObjects(db, signal);
        if (isAborted()) {
          return;
        }
        const [step] = await db.run<{ readonly tasks: number; readonly due: number }>(ERASE_EXPIRED, [
          accountId,
          days,
          BATCH_SIZE,
        ]);
        isMore ||= step?.due === BATCH_SIZE;
        yield { tasks: step?.tasks ?? 0, isWaiting: false };
      }
      yield { tasks: 0, isWaiting: false };
    }
  }
}

/** Waits while workers are busy removing the images of erased tasks. */
async function* waitForObjects(db: Pick<Database, 'run'>, signal: AbortSignal): AsyncGenerator<ErasureStep> {
  const isFull = async (): Promise<boolean> =>
    (await db.run<{ readonly isFull: boolean }>(HAS_DUE_CHECKS, [MAX_DUE_CHECKS]))[0]?.isFull ?? false;
  while (!signal.aborted && (await isFull())) {
    yield { tasks: 0, isWaiting: true };
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}
