import type { ProvidersInUse } from '@image-gateway/shared/catalog/document';
import type { Database } from '@image-gateway/shared/db';
import { listLiveWorkers } from '../system/list-live-workers.js';

/** Generation worker with the providers that it reports. */
export interface WorkerProviders {
  /** Host and process. */
  readonly worker: string;
  readonly providers: readonly string[];
}

/** Lists the live generation workers with the providers that each of them calls. */
export async function listWorkerProviders(db: Pick<Database, 'run'>): Promise<readonly WorkerProviders[]> {
  const workers = await listLiveWorkers(db);
  return workers.flatMap(({ service, host, pid, report: { providers } }) =>
    service === 'generation-worker' && providers ? [{ worker: `${host}, process ${pid}`, providers }] : [],
  );
}

/** Names the workers that do not call a provider. */
export function listUnusedBy(workers: readonly WorkerProviders[], provider: string): readonly string[] {
  return workers.filter(({ providers }) => !providers.includes(provider)).map(({ worker }) => worker);
}

/** Returns the providers that any worker calls, in the order of this environment; those of this environment while no worker reports. */
export function mergeProviders(here: ProvidersInUse, workers: readonly WorkerProviders[]): ProvidersInUse {
  if (workers.length === 0) {
    return here;
  }
  const called = new Set(workers.flatMap(({ providers }) => providers));
  const known = here.names.filter((name) => called.has(name));
  return { ...here, names: [...new Set([...known, ...called])] };
}
