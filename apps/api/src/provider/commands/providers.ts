import { Command } from '@commander-js/extra-typings';
import type { DollarsByQuality } from '@image-gateway/shared/contract';
import { loadActiveCatalog } from '@image-gateway/shared/db';
import type { CliRun } from '../../cli/cli-context.js';
import { formatExample } from '../../cli/help.js';
import { renderTable } from '../../cli/render-table.js';
import { listCandidates } from '../candidates.js';
import { listCallOutcomes } from '../list-call-outcomes.js';
import { listRoutes } from '../list-routes.js';
import { listWorkerProviders, mergeProviders } from '../list-worker-providers.js';
import { listProviderLimits } from '../provider-limits.js';
import { readProvidersInUse } from '../read-providers-in-use.js';

const HOUR_MS = 60 * 60_000;

/** Builds `providers`, which shows the routes of the active catalog with the state of each candidate, and the recent calls. */
export function buildProviders({ env, db, show }: CliRun) {
  return new Command('providers')
    .description(
      'Show routing candidates with circuits and cooldowns, and the provider calls of the last hour',
    )
    .addHelpText('after', formatExample('providers'))
    .action(async () => {
      const listProviders = readProvidersInUse(env);
      const { catalog } = await loadActiveCatalog(db());
      const inUse = mergeProviders(listProviders(catalog), await listWorkerProviders(db()));
      const [{ workers, candidates }, calls, limits] = await Promise.all([
        listCandidates(db(), listRoutes(catalog, inUse)),
        listCallOutcomes(db(), { withinMs: HOUR_MS }),
        listProviderLimits(db()),
      ]);
      const text = [
        `Candidates in the order of preference (${workers} generation workers alive)`,
        renderTable(
          candidates.map(({ cost_per_image, ...rest }) => ({
            ...rest,
            cost_per_image: Object.entries(cost_per_image).map(renderCost).join(', '),
          })),
        ),
        '',
        'Ceilings of a UTC day, and pauses (* stands for all providers)',
        renderTable(limits.map((limit) => ({ ...limit }))),
        '',
        'Calls of the last hour',
        renderTable(calls),
      ].join('\n');
      show({ value: { workers, candidates, limits, calls }, text });
    });
}

function renderCost([resolution, cost]: readonly [string, DollarsByQuality]): string {
  return typeof cost === 'string'
    ? `${resolution} ${cost}`
    : Object.entries(cost)
        .map(([quality, dollars]) => `${resolution} ${quality} ${dollars}`)
        .join(', ');
}
