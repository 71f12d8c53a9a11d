import type { SeenWorker } from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import type { RoutingTable } from '@image-gateway/shared/upstreams';

/** Presents each candidate of the routing table with how it stands in the workers that are alive. */
export function presentRoutes(routes: RoutingTable, workers: readonly SeenWorker[]) {
  const reports = workers.flatMap(({ report }) => report.candidates ?? []);
  return Object.entries(routes).flatMap(([model, candidates]) =>
    candidates.map((route) => {
      const own = reports.filter((one) => one.provider === route.provider && one.model === route.model);
      const pauses = own.flatMap(({ pausedMs }) => Object.values(pausedMs));
      return {
        model,
        provider: route.provider,
        upstream_model: route.model,
        cost_per_image: Object.fromEntries(
          Object.entries(route.costMicros).map(([name, micros]) => [name, formatDollars(micros)]),
        ),
        weight: route.weight,
        /** The worst of what the workers see. */
        circuit:
          ['open', 'half-open'].find((state) => own.some(({ circuit }) => circuit === state)) ?? 'closed',
        paused_s: Math.ceil(Math.max(0, ...pauses) / 1_000),
        set_aside: own.some(({ setAside, keysSetAside }) => setAside || keysSetAside.length > 0),
        running: own.reduce((sum, { running }) => sum + running, 0),
      };
    }),
  );
}
