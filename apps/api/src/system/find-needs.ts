import { MAX_REFUSALS } from '@image-gateway/shared/contract';
import {
  type Database,
  listBrokenInvariants,
  loadActiveCatalog,
  type Statement,
} from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import type { NeedsView } from '@image-gateway/shared/provider/schema';
import type { OfferSettings } from '../catalog/page/view-models.js';
import { listLiveWorkers } from '../provider/list-live-workers.js';
import { listModeratedAccounts } from '../provider/moderated-accounts.js';
import { listCeilingNeeds } from '../provider/provider-limits.js';
import { listProviderNeeds, presentNeed } from '../provider/provider-needs.js';

const FIND_ENDPOINT_NEEDS: Statement = {
  name: 'find-endpoint-needs',
  text: `
SELECT o.failing, o.threshold AS "thresholdMicros",
       (SELECT count(*)::int FROM accounts a WHERE a.status = 'active' AND a.balance_micros < o.threshold) AS accounts
  FROM (SELECT count(*) FILTER (WHERE failures >= 2 OR disabled_at IS NOT NULL)::int AS failing,
               max(threshold_micros) FILTER (WHERE disabled_at IS NULL) AS threshold
          FROM endpoints WHERE account_id IS NULL) o`,
};

/** Failures that make a model one of those that need an operator, if they are also a tenth of what completed meanwhile. */
const MIN_FAILED = 3;
/** Failed tasks that are looked at. */
const MAX_FAILED = 5_000;

// Completed tasks are those of the hours that the quarter of an hour lies in.
const LIST_FAILING_MODELS: Statement = {
  name: 'list-failing-models',
  text: `
WITH failed AS (
  SELECT model, count(*)::int AS failed, min(completed_at) AS since
    FROM (SELECT model, failure, completed_at FROM tasks WHERE status = 'failed' AND completed_at > now() - interval '15 minutes'
           ORDER BY completed_at DESC LIMIT ${MAX_FAILED}) t
   WHERE failure IN ('upstream', 'deadline') GROUP BY model HAVING count(*) >= ${MIN_FAILED})
SELECT f.model, f.failed, f.since FROM failed f
 WHERE f.failed * 10 >= (SELECT COALESCE(sum(h.completed), 0) FROM task_hours h
                          WHERE h.model = f.model AND h.hour >= date_trunc('hour', now() - interval '15 minutes', 'UTC'))
 ORDER BY f.failed DESC, f.model`,
};

interface FailingModel {
  readonly model: string;
  readonly failed: number;
  readonly since: Date;
}

interface EndpointNeeds {
  readonly failing: number;
  readonly thresholdMicros: bigint | null;
  readonly accounts: number;
}

/** Returns what needs an operator now: all that operators' endpoints hear of, whether or not there are any. */
export async function findNeeds(db: Pick<Database, 'run'>, settings: OfferSettings): Promise<NeedsView> {
  const today = new Date();
  today.setUTCHours(0, 0, 0, 0);
  const { catalog } = await loadActiveCatalog(db);
  const [needs, ceilings, moderated, brokenInvariants, [endpoints], failing, workers] = await Promise.all([
    listProviderNeeds(db, { ...settings, catalog }),
    listCeilingNeeds(db),
    listModeratedAccounts(db, { since: today, over: MAX_REFUSALS }),
    listBrokenInvariants(db),
    db.run<EndpointNeeds>(FIND_ENDPOINT_NEEDS, []),
    db.run<FailingModel>(LIST_FAILING_MODELS, []),
    listLiveWorkers(db),
  ]);
  const threshold = endpoints?.thresholdMicros ?? null;
  return {
    providers: [...needs.map(presentNeed), ...ceilings],
    failing: failing.map(({ since, ...model }) => ({ ...model, since: since.toISOString() })),
    open_circuits: listOpenCircuits(workers),
    moderated,
    broken_invariants: brokenInvariants,
    failing_endpoints: endpoints?.failing ?? 0,
    low_balances:
      threshold === null || !endpoints?.accounts
        ? null
        : { accounts: endpoints.accounts, threshold: formatDollars(threshold) },
  };
}

/** Lists the routes whose circuit is open, each once, however many workers see it so. */
function listOpenCircuits(workers: Awaited<ReturnType<typeof listLiveWorkers>>): NeedsView['open_circuits'] {
  const open = workers
    .flatMap(({ report }) => report.candidates ?? [])
    .filter(({ circuit }) => circuit === 'open')
    .map(({ provider, model }) => ({ provider, model }));
  return [...new Map(open.map((route) => [`${route.provider} ${route.model}`, route])).values()];
}
