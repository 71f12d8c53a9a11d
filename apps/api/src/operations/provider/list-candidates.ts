import type { Database } from '@image-gateway/shared/db';
import { presentAmounts } from '../catalog/present-amounts.js';
import { listLiveWorkers } from '../system/list-live-workers.js';
import type { ListedRoute } from './list-routes.js';
import { presentCandidateState } from './present-candidate-state.js';

/** Returns the candidates of each model in the order of preference, with their state in the live generation workers and the number of these. */
export async function listCandidates(
  db: Pick<Database, 'run'>,
  routes: Readonly<Record<string, readonly ListedRoute[]>>,
) {
  const workers = (await listLiveWorkers(db)).filter(({ service }) => service === 'generation-worker');
  const reports = workers.flatMap(({ report }) => (report.candidates ?? []).map(presentCandidateState));
  const candidates = Object.entries(routes).flatMap(([model, candidates]) =>
    candidates.map((route) => {
      const own = reports.filter((one) => one.provider === route.provider && one.model === route.model);
      return {
        model,
        provider: route.provider,
        upstream_model: route.model,
        cost_per_image: presentAmounts(route.costMicros),
        weight: route.weight,
        /** Worst state in any worker. */
        circuit:
          ['open', 'half-open'].find((state) => own.some(({ circuit }) => circuit === state)) ?? 'closed',
        paused_s: Math.max(0, ...own.map(({ paused_seconds }) => paused_seconds)),
        set_aside: own.some(({ set_aside }) => set_aside),
        running: own.reduce((sum, { running }) => sum + running, 0),
      };
    }),
  );
  return { workers: workers.length, candidates };
}
