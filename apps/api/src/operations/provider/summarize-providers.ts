import type { ProviderItem, ProvidersView, WorkerItem } from '@image-gateway/shared/contract';
import { type Database, listWorkerReports, type ReportedWorker } from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import { ALIVE_MS } from '../system/list-live-workers.js';
import { presentCandidateState } from './present-candidate-state.js';
import { type ProviderSum, sumProviderCalls } from './sum-provider-calls.js';

/** Workers that are gone are shown for an hour. */
const SHOWN_MS = 60 * 60_000;

/** Returns the calls, cost and revenue of the last hours by provider, and the candidates as each worker sees them. */
export async function summarizeProviders(db: Pick<Database, 'run'>, hours: number): Promise<ProvidersView> {
  const [{ providers, revenueMicros }, workers] = await Promise.all([
    sumProviderCalls(db, hours),
    listWorkerReports(db, { withinMs: SHOWN_MS }),
  ]);
  const costMicros = providers.reduce((sum, provider) => sum + provider.costMicros, 0n);
  return {
    hours,
    providers: providers.map(presentProvider),
    cost: formatDollars(costMicros),
    revenue: formatDollars(revenueMicros),
    margin: formatDollars(revenueMicros - costMicros),
    workers: workers.map(presentWorker),
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

function presentWorker(worker: ReportedWorker): WorkerItem {
  return {
    id: worker.id,
    service: worker.service,
    host: worker.host,
    pid: worker.pid,
    started_at: worker.startedAt.toISOString(),
    seen_at: worker.seenAt.toISOString(),
    alive: worker.silentMs < ALIVE_MS,
    candidates: (worker.report.candidates ?? []).map(presentCandidateState),
  };
}
