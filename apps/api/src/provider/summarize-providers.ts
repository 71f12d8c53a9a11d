import {
  type Database,
  listWorkerReports,
  loadActiveCatalog,
  type ReportedWorker,
  type Statement,
} from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import type { ProviderItem, ProvidersView, WorkerItem } from '@image-gateway/shared/provider/schema';
import { type ExplainRoute, presentCandidates } from './candidates.js';
import { ALIVE_MS } from './list-live-workers.js';
import { listModeratedAccounts } from './moderated-accounts.js';
import { listProviderLimits } from './provider-limits.js';
import { loadRefusals, type RefusalScope } from './refusals.js';
import { type ProviderSum, sumProviderCalls } from './sum-provider-calls.js';
import { sumSandboxSales } from './sum-sandbox-sales.js';

const HOUR_MS = 60 * 60_000;
/** Time for which a worker without a report is shown. */
const SHOWN_MS = HOUR_MS;

const SUM_REVENUE: Statement = {
  name: 'sum-revenue',
  text: `
SELECT since, (SELECT COALESCE(sum(charged_micros), 0)::int8 FROM task_hours WHERE hour >= since) AS "revenueMicros"
  FROM (SELECT date_trunc('hour', now() - make_interval(hours => $1::int), 'UTC') AS since) s`,
};

/**
 * Returns calls, cost and revenue since the full hour before the last `hours` by provider, and the state of the candidates in
 * each worker.
 */
export async function summarizeProviders(
  db: Pick<Database, 'run'>,
  { hours, enabledModels }: { readonly hours: number } & Pick<RefusalScope, 'enabledModels'>,
): Promise<ProvidersView> {
  const { catalog } = await loadActiveCatalog(db);
  const [{ providers }, [revenue], workers, limits, { explainRoute }] = await Promise.all([
    sumProviderCalls(db, { withinMs: hours * HOUR_MS }),
    db.run<{ readonly since: Date; readonly revenueMicros: bigint }>(SUM_REVENUE, [hours]),
    listWorkerReports(db, { withinMs: SHOWN_MS }),
    listProviderLimits(db),
    loadRefusals(db, { catalog, enabledModels }),
  ]);
  if (!revenue) {
    throw new Error('a statement that always has a row had none');
  }
  const { revenueMicros } = revenue;
  const sandbox = await sumSandboxSales(db, revenue);
  const sandboxMicros = sandbox.reduce((sum, { chargedMicros }) => sum + chargedMicros, 0n);
  const costMicros = providers.reduce((sum, provider) => sum + provider.costMicros, 0n);
  return {
    hours,
    since: revenue.since.toISOString(),
    providers: providers.map(presentProvider),
    cost: formatDollars(costMicros),
    revenue: formatDollars(revenueMicros),
    sandbox: formatDollars(sandboxMicros),
    margin: formatDollars(revenueMicros - sandboxMicros - costMicros),
    limits,
    moderated: await listModeratedAccounts(db, { since: revenue.since, over: 0 }),
    workers: workers.map((worker) => presentWorker(worker, explainRoute)),
  };
}

function presentProvider(sum: ProviderSum): ProviderItem {
  return {
    provider: sum.provider,
    calls: sum.calls,
    succeeded: sum.succeeded,
    failed: sum.failed,
    refused: sum.refused,
    rate_limited: sum.rateLimited,
    unknown: sum.unknown,
    open: sum.open,
    p50_ms: sum.p50Ms === null ? null : Math.round(sum.p50Ms),
    p95_ms: sum.p95Ms === null ? null : Math.round(sum.p95Ms),
    cost: formatDollars(sum.costMicros),
    last_call_at: sum.lastCallAt.toISOString(),
  };
}

function presentWorker(worker: ReportedWorker, explain: ExplainRoute): WorkerItem {
  return {
    id: worker.id,
    service: worker.service,
    host: worker.host,
    pid: worker.pid,
    started_at: worker.startedAt.toISOString(),
    seen_at: worker.seenAt.toISOString(),
    alive: worker.silentMs < ALIVE_MS,
    candidates: presentCandidates(worker, explain),
  };
}
