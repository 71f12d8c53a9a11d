import { DEFAULT_DATABASE_POOL, READ_CONNECTIONS } from '@image-gateway/shared/config';
import type { Database } from '@image-gateway/shared/db';
import { explainError } from '../cli/explain-error.js';
import { listLiveWorkers } from '../provider/list-live-workers.js';
import { countConnections } from '../system/postgres.js';
import { type CheckResult, fine, warning } from './check-result.js';

const PART = 'connections';
const BOOKS_POOL = 1;
/** Share of the connections that leaves none for more processes or for a restart of all. */
const HIGH_SHARE = 0.8;

/**
 * Checks that the connections of the live processes fit into `max_connections` of PostgreSQL. Generation workers are counted
 * by their reports. API and webhook workers write none: one of each is assumed when any is connected. The value of
 * `DATABASE_POOL` is in `pool`, undefined for the defaults.
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
    const observed = `${open} open; the known processes may open at least ${sum} of ${max}${list && ` (${list})`}`;
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
