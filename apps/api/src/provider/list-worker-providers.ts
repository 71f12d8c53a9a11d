import type { ProvidersInUse } from '@image-gateway/shared/catalog/document';
import { type Database, listWorkerReports, type ReportedWorker } from '@image-gateway/shared/db';
import type { KeyName } from '@image-gateway/shared/upstreams';
import { ALIVE_MS } from './list-live-workers.js';

/** Generation worker with the providers that it reports. */
export interface WorkerProviders {
  /** Host and process. */
  readonly worker: string;
  readonly providers: readonly string[];
  readonly sandboxServesRest: ProvidersInUse['sandboxServesRest'];
  /** Keys that it has, by provider; null for one that does not say. */
  readonly keys: Readonly<Record<string, readonly KeyName[]>> | null;
  /** False for one that is gone. */
  readonly isAlive: boolean;
}

/** Reports are deleted long before. */
const EVER_MS = 3_650 * 86_400_000;

/** Lists the live generation workers with the providers that each of them calls; while none is alive, those that were last seen. */
export async function listWorkerProviders(db: Pick<Database, 'run'>): Promise<readonly WorkerProviders[]> {
  const reported = await listWorkerReports(db, { withinMs: EVER_MS });
  const all = reported.flatMap(({ service, host, pid, silentMs, report }): WorkerProviders[] => {
    const { providers, sandboxServesRest = false } = report;
    const isAlive = silentMs <= ALIVE_MS;
    const keys = presentKeys(report.keys);
    return service === 'generation-worker' && providers
      ? [{ worker: `${host}, process ${pid}`, providers, sandboxServesRest, keys, isAlive }]
      : [];
  });
  const live = all.filter(({ isAlive }) => isAlive);
  return live.length > 0 ? live : all;
}

function presentKeys(
  sources: ReportedWorker['report']['keys'],
): Readonly<Record<string, readonly KeyName[]>> | null {
  const known = Object.entries(sources ?? {}).flatMap(([name, { keys }]) => (keys ? [[name, keys]] : []));
  return known.length === 0 ? null : Object.fromEntries(known);
}

/** Lists the keys that any worker has for a provider; null where a worker does not say. */
export function listKeysInUse(
  workers: readonly Pick<WorkerProviders, 'keys'>[],
  provider: string,
): readonly KeyName[] | null {
  return workers.some(({ keys }) => keys === null)
    ? null
    : workers.flatMap(({ keys }) => keys?.[provider] ?? []);
}

/** Names the live workers that do not call a provider. */
export function listUnusedBy(workers: readonly WorkerProviders[], provider: string): readonly string[] {
  return workers
    .filter(({ isAlive, providers }) => isAlive && !providers.includes(provider))
    .map(({ worker }) => worker);
}

/**
 * Returns the providers that any worker calls, in the order of this environment; those of this environment while no worker has
 * reported.
 */
export function mergeProviders(here: ProvidersInUse, workers: readonly WorkerProviders[]): ProvidersInUse {
  if (workers.length === 0) {
    return here;
  }
  const called = new Set(workers.flatMap(({ providers }) => providers));
  const known = here.names.filter((name) => called.has(name));
  return {
    names: [...new Set([...known, ...called])],
    sandboxServesRest:
      [true, 'built-in' as const].find((kind) => workers.some((one) => one.sandboxServesRest === kind)) ??
      false,
  };
}
