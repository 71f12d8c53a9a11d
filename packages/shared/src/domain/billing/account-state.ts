import type { Account, Database, Statement } from '../db/index.js';
import { failedTasksBefore, failedTasksTotal } from './failed-tasks.js';
import type { DefaultLimits } from './insert-tasks.js';

/** Limits and balance of an account; without its own `maxOpenTasks` the general limit applies. */
export interface AccountState extends Readonly<Pick<Account, 'status' | 'openCount' | 'maxOpenTasks'>> {
  /** Balance less open holds, in micro-dollars. */
  readonly available: bigint;
  /** Webhooks that have not ended, those of open tasks included. */
  readonly pendingDeliveries: number;
  /** Hosts that deliveries wait for. */
  readonly pendingHosts: number;
  /** Tasks that failed because of their requests within the seconds of the limit. */
  readonly failedTasks: number;
  /** The account's own limit or the setting; null: no limit. */
  readonly maxFailedTasks: number | null;
  readonly failedTasksSeconds: number | null;
  /** Time until fewer than the maximum are left, in whole seconds; null while they are fewer. */
  readonly failedTasksRetrySeconds: number | null;
}

/** Looks an account up; undefined when there is none. */
export type FindAccountState = (accountId: string) => Promise<AccountState | undefined>;

/** Reads the balance and the limits of an account, which explain a refusal. */
const EXPLAIN_REFUSAL: Statement = {
  name: 'explain-refusal',
  text: `
SELECT a.status, a.open_count AS "openCount", a.max_open_tasks AS "maxOpenTasks", a.balance_micros - a.held_micros AS available,
       (a.webhook_count - COALESCE(b.ended, 0))::int AS "pendingDeliveries", COALESCE(b.hosts, 0) AS "pendingHosts",
       (f.total - f.before)::int AS "failedTasks", m.failures AS "maxFailedTasks", m.seconds AS "failedTasksSeconds",
       (SELECT GREATEST(1, ceil(EXTRACT(EPOCH FROM k.starts_at - now()) + m.seconds))::int FROM failed_task_counts k
         WHERE k.account_id = a.id AND k.starts_at > now() - make_interval(secs => m.seconds) AND k.total > f.total - m.failures
         ORDER BY k.starts_at LIMIT 1) AS "failedTasksRetrySeconds"
  FROM accounts a LEFT JOIN webhook_backlogs b ON b.account_id = a.id
  CROSS JOIN LATERAL (SELECT COALESCE(a.max_failed_tasks, $2::int) AS failures, COALESCE(a.failed_tasks_seconds, $3::int) AS seconds) m
  CROSS JOIN LATERAL (SELECT ${failedTasksTotal('a.id')} AS total, ${failedTasksBefore('a.id', 'm.seconds')} AS before) f
 WHERE a.id = $1`,
};

/**
 * Creates the finder of accounts. Callers that request an account while it is being read share the next read. The read
 * under way may be older than their request.
 */
export function createAccountStateFinder(
  db: Pick<Database, 'run'>,
  { maxFailedTasks }: Pick<DefaultLimits, 'maxFailedTasks'>,
): FindAccountState {
  const running = new Map<string, Promise<unknown>>();
  const next = new Map<string, Promise<AccountState | undefined>>();

  const read = (accountId: string): Promise<AccountState | undefined> => {
    const reading = db
      .run<AccountState>(EXPLAIN_REFUSAL, [
        accountId,
        maxFailedTasks?.limit ?? null,
        maxFailedTasks?.windowSeconds ?? null,
      ])
      .then(([account]) => account);
    const settled = reading.then(
      () => running.delete(accountId),
      () => running.delete(accountId),
    );
    running.set(accountId, settled);
    return reading;
  };

  return (accountId) => {
    const current = running.get(accountId);
    if (!current) {
      return read(accountId);
    }
    const planned = next.get(accountId);
    if (planned) {
      return planned;
    }
    const plan = current.then(() => {
      next.delete(accountId);
      return read(accountId);
    });
    next.set(accountId, plan);
    return plan;
  };
}
