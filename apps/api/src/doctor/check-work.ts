import { type Database, findSetAsideTasks } from '@image-gateway/shared/db';
import { explainError } from '../cli/explain-error.js';
import { ALIVE_MS, listLiveWorkers } from '../provider/list-live-workers.js';
import { findFailingReceivers, findOverdueWork } from '../system/find-overdue-work.js';
import { type CheckResult, fault, fine, warning } from './check-result.js';

const FAULT_AFTER_SECONDS = 120;
const MAX_LISTED = 5;
const SET_ASIDE_REMEDIATION =
  'After a lock timeout, find the transaction that locks the account in pg_stat_activity and end it. After a violated ' +
  'constraint, run `gateway ledger check`, suspend the account and run `gateway ledger recount`. Workers retry within a minute.';
const WORKERS: Readonly<Record<string, string>> = { tasks: 'generation worker', webhooks: 'webhook worker' };

/** Checks that generation workers live, and that no work is overdue, which happens when workers are missing, hung or too few. */
export async function checkWork(db: Database): Promise<CheckResult[]> {
  try {
    const rows = await findOverdueWork(db);
    const waiting = rows.map(({ what, count, seconds }) => {
      if (count === 0) {
        return fine(what, 'none is overdue');
      }
      const observed = `${count} overdue, the oldest for ${Math.round(seconds)} s`;
      const remediation = `Start a ${WORKERS[what]}, or more of them, and check its log.`;
      return seconds > FAULT_AFTER_SECONDS
        ? fault(what, observed, remediation)
        : warning(what, observed, remediation);
    });
    return [await checkWorkers(db), ...waiting, await checkReceivers(db), await checkSetAside(db)];
  } catch (error) {
    return [warning('tasks', 'cannot be counted', explainError(error).message)];
  }
}

async function checkWorkers(db: Database): Promise<CheckResult> {
  const part = 'workers';
  const live = (await listLiveWorkers(db)).filter(({ service }) => service === 'generation-worker').length;
  return live === 0
    ? fault(
        part,
        `no generation worker has reported for ${ALIVE_MS / 1_000} s: no task is drawn`,
        'Start a generation worker, and check its log.',
      )
    : fine(part, `${live} generation ${live === 1 ? 'worker reports' : 'workers report'}`);
}

/** Checks that receivers of webhooks take some. One customer's dead address is no fault of the gateway. */
async function checkReceivers(db: Database): Promise<CheckResult> {
  const part = 'receivers';
  const { sending, failing, accounts } = await findFailingReceivers(db);
  if (failing === 0) {
    return fine(
      part,
      sending === 0 ? 'no webhook was tried lately' : `those of ${sending} accounts take webhooks`,
    );
  }
  const observed = `${failing} of ${sending} accounts had no webhook delivered in the last 15 minutes: ${accounts.join(', ')}`;
  return 2 * failing > sending
    ? fault(
        part,
        observed,
        'Look for a fault of your own network, DNS or firewall: webhook workers reach few receivers.',
      )
    : warning(
        part,
        observed,
        'Tell the customers. `gateway webhook list --task gen_…` has the error, `gateway webhook resend msg_…` sends again.',
      );
}

/** Checks that no task is set aside because it could not be ended. */
async function checkSetAside(db: Database): Promise<CheckResult> {
  const part = 'set aside';
  const tasks = await findSetAsideTasks(db, { limit: MAX_LISTED });
  const total = tasks[0]?.total ?? 0;
  if (total === 0) {
    return fine(part, 'every task can be ended');
  }
  const listed = tasks.map(
    ({ id, accountId, settleFailures, settleError }) =>
      `${id} of ${accountId} (${settleFailures} times: ${settleError})`,
  );
  return fault(
    part,
    `${total} tasks could not be ended, among them ${listed.join('; ')}`,
    SET_ASIDE_REMEDIATION,
  );
}
