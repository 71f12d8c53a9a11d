import { readFileSync } from 'node:fs';
import { loadSettings, sharedSettings } from '@image-gateway/shared/config';
import { listWorkerReports, sumCalls } from '@image-gateway/shared/db';
import { chooseProviders, upstreamSettings } from '@image-gateway/shared/upstreams';
import type { CliCommand } from '../cli-command.js';
import { renderTable } from '../render-table.js';
import { presentCalls } from './present-calls.js';
import { presentRoutes } from './present-routes.js';
import { withSandboxWhereNoKey } from './with-sandbox-where-no-key.js';

const HOUR_MS = 60 * 60_000;
const ALIVE_MS = 60_000;
const SETTINGS = { ...upstreamSettings, ENABLED_MODELS: sharedSettings.ENABLED_MODELS };

/** `providers`: the routing table, how each candidate stands in the running workers, and what its calls came to lately. */
export const providers: CliCommand = {
  name: 'providers',
  summary: 'Show candidates, their circuits and pauses, and what their calls came to in the last hour',
  example: 'providers',
  run: async (context) => {
    const settings = withSandboxWhereNoKey(loadSettings(SETTINGS, context.env));
    const { routes } = chooseProviders(settings, (file) => readFileSync(file, 'utf8'));
    const [workers, sums] = await Promise.all([
      listWorkerReports(context.db(), { withinMs: ALIVE_MS }),
      sumCalls(context.db(), { withinMs: HOUR_MS }),
    ]);
    const generation = workers.filter(({ service }) => service === 'generation-worker');
    const candidates = presentRoutes(routes, generation);
    const calls = presentCalls(sums);
    const text = [
      `Candidates, in the order of preference (${generation.length} generation workers alive)`,
      renderTable(
        candidates.map(({ cost_per_image, ...rest }) => ({
          ...rest,
          cost_per_image: Object.entries(cost_per_image)
            .map((pair) => pair.join(' '))
            .join(', '),
        })),
      ),
      '',
      'Calls of the last hour',
      renderTable(calls),
    ].join('\n');
    return { value: { workers: generation.length, candidates, calls }, text };
  },
};
