import type { DollarsByQuality } from '@image-gateway/shared/contract';
import { loadActiveCatalog } from '@image-gateway/shared/db';
import { readEnabledModels } from '../../catalog/commands/describe-applied.js';
import { defineCommand } from '../../cli/define-command.js';
import { renderTable } from '../../cli/render.js';
import { listCandidates } from '../candidates.js';
import { listCallOutcomes } from '../list-call-outcomes.js';
import { listRoutes } from '../list-routes.js';
import { listWorkerProviders, mergeProviders } from '../list-worker-providers.js';
import { listProviderLimits } from '../provider-limits.js';
import { readProvidersInUse } from '../read-providers-in-use.js';
import { findRefusals } from '../refusals.js';

const HOUR_MS = 60 * 60_000;

/** Command `providers`, which shows the routes of the active catalog with the state of each candidate, and the recent calls. */
export const commands = {
  providers: defineCommand({
    about: 'Show routing candidates with circuits and cooldowns, and the provider calls of the last hour',
    run: async ({ env, db }) => {
      const listProviders = readProvidersInUse(env);
      const { catalog } = await loadActiveCatalog(db());
      const reported = await listWorkerProviders(db());
      const inUse = mergeProviders(listProviders(catalog), reported);
      const enabledModels = readEnabledModels(env);
      const { explainRoute } = await findRefusals(db(), { catalog, enabledModels, workers: reported });
      const [{ workers, candidates }, calls, limits] = await Promise.all([
        listCandidates(db(), listRoutes(catalog, inUse), explainRoute),
        listCallOutcomes(db(), { withinMs: HOUR_MS }),
        listProviderLimits(db()),
      ]);
      const rows = candidates.map(({ cost_per_image, ...rest }) => ({
        ...rest,
        cost_per_image: Object.entries(cost_per_image).map(renderCost).join(', '),
      }));
      const text = [
        `Candidates in the order of preference (${workers} generation workers alive)\n${renderTable(rows)}`,
        `Ceilings of a UTC day, and pauses (* stands for all providers)\n${renderTable(limits)}`,
        `Calls of the last hour\n${renderTable(calls)}`,
      ].join('\n\n');
      return { value: { workers, candidates, limits, calls }, text };
    },
  }),
};

function renderCost([resolution, cost]: readonly [string, DollarsByQuality]): string {
  return typeof cost === 'string'
    ? `${resolution} ${cost}`
    : Object.entries(cost)
        .map(([quality, dollars]) => `${resolution} ${quality} ${dollars}`)
        .join(', ');
}
