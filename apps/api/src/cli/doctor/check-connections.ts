import { DEFAULT_DATABASE_POOL, READ_CONNECTIONS } from '@image-gateway/shared/config';
import type { Database } from '@image-gateway/shared/db';
import { countConnections } from '../../operations/system/count-connections.js';
import { listLiveWorkers } from '../../operations/system/list-live-workers.js';
import { explainError } from '../explain-error.js';
import { type CheckResult, fine, warning } from './check-result.js';

const PART = 'connections';
const BOOKS_POOL = 1;
/** Share of the connections above which a few more processes, or a restart of all, find none. */
const HIGH_SHARE = 0.8;

/**
 * Checks that the connections which the live processes may open fit into PostgreSQL's `max_connections`. Generation workers
 * are counted by their reports; of the API and the webhook workers, which write none, at least one each is assumed when one
 * is connected. `pool` is the value of `DATABASE_POOL` here, undefined for the defaults.
 */
export async function checkConnections(db: Database, pool: number | undefined): Promise<CheckResult[]> {
  try {
    const workers = (await listLiveWorkers(db)).length;
    const { max, open, hasApi, hasWebhooks } = await countConnections(db);
    const perWorker = pool ?? DEFAULT_DATABASE_POOL.worker;
    const perApi = (pool ?? DEFAULT_DATABASE_POOL.api) + READ_CONNECTIONS + BOOKS_POOL;
    const parts = [
      { name: 'API', processes: hasApi ? 1 : 0, each: perApi },
      { name: 'generation worker', processes: workers, each: perWorker },
      { name: 'webhook worker', processes: hasWebhooks ? 1 : 0, each: perWorker },
    ].filter(({ processes }) => processes > 0);
    const sum = parts.reduce((total, { processes, each }) => total + processes * each, 0);
    const list = parts.map(({ name, processes, each }) => `${processes} × ${name} with ${each}`).join(', ');
    const observed = `${open} open; the processes that are observed may open at least ${sum} of ${max}${list && ` (${list})`}`;
    const isTight = Math.max(sum, open) > HIGH_SHARE * max;
    return [
      isTight
        ? warning(PART, observed, 'Lower DATABASE_POOL, raise max_connections, or run fewer processes.')
        : fine(PART, observed),
    ];
  } catch (error) {
    return [warning(PART, 'cannot be counted', explainError(error).message)];
  }
}
