import type { ProviderItem, ProvidersView, WorkerItem } from '@image-gateway/shared/contract';
import { type Database, listWorkerReports, type SeenWorker } from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import Joi from 'joi';
import type { Handler } from '../../http/call.js';
import { readQuery } from '../../http/read-query.js';
import type { ViewerCall } from '../call.js';
import { dataReply } from '../data-reply.js';
import { type ProviderSum, sumProviderCalls } from './queries/sum-provider-calls.js';

/** The fields of the query. */
export const providersQuery: Joi.ObjectSchema<{ hours: number }> = Joi.object({
  hours: Joi.number().valid(1, 24, 168).default(24).messages({ '*': 'hours must be 1, 24 or 168.' }),
});
const SHOWN_MS = 60 * 60_000;
const ALIVE_MS = 60_000;

/** `GET /dashboard/api/operator/providers`: how the calls to each provider went, what they cost and earned, and how the workers see the candidates. */
export function getProviders({ db }: { readonly db: Pick<Database, 'run'> }): Handler<ViewerCall> {
  return async (call) => {
    const { hours } = readQuery(providersQuery, call);
    const [{ providers, revenueMicros }, workers] = await Promise.all([
      sumProviderCalls(db, hours),
      listWorkerReports(db, { withinMs: SHOWN_MS }),
    ]);
    const costMicros = providers.reduce((sum, provider) => sum + provider.costMicros, 0n);
    const marginMicros = revenueMicros - costMicros;
    const view: ProvidersView = {
      hours,
      providers: providers.map(presentProvider),
      cost: formatDollars(costMicros),
      revenue: formatDollars(revenueMicros),
      margin: formatDollars(marginMicros),
      workers: workers.map(presentWorker),
    };
    return dataReply(view);
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

function presentWorker(worker: SeenWorker): WorkerItem {
  return {
    id: worker.id,
    service: worker.service,
    host: worker.host,
    pid: worker.pid,
    started_at: worker.startedAt.toISOString(),
    seen_at: worker.seenAt.toISOString(),
    alive: worker.silentMs < ALIVE_MS,
    candidates: (worker.report.candidates ?? []).map(({ provider, model, circuit, pausedMs, ...rest }) => ({
      provider,
      model,
      circuit,
      paused_seconds: Math.ceil(Math.max(0, ...Object.values(pausedMs)) / 1000),
      set_aside: rest.setAside || rest.keysSetAside.length > 0,
      running: rest.running,
    })),
  };
}
