import { readFileSync } from 'node:fs';
import { loadSettings, sharedSettings } from '@image-gateway/shared/config';
import { chooseProviders, upstreamSettings } from '@image-gateway/shared/upstreams';
import { defaultToSandbox } from '../../operations/provider/default-to-sandbox.js';
import { listCandidates } from '../../operations/provider/list-candidates.js';
import { sumCandidateCalls } from '../../operations/provider/sum-candidate-calls.js';
import type { CliCommand } from '../cli-command.js';
import { renderTable } from '../render-table.js';

const HOUR_MS = 60 * 60_000;
const SETTINGS = { ...upstreamSettings, ENABLED_MODELS: sharedSettings.ENABLED_MODELS };

/** `providers`: the routing table, how each candidate stands in the running workers, and what its calls came to lately. */
export const providers: CliCommand = {
  name: 'providers',
  summary: 'Show candidates, their circuits and pauses, and what their calls came to in the last hour',
  example: 'providers',
  run: async (context) => {
    const settings = defaultToSandbox(loadSettings(SETTINGS, context.env));
    const { routes } = chooseProviders(settings, (file) => readFileSync(file, 'utf8'));
    const [{ workers, candidates }, calls] = await Promise.all([
      listCandidates(context.db(), routes),
      sumCandidateCalls(context.db(), { withinMs: HOUR_MS }),
    ]);
    const text = [
      `Candidates, in the order of preference (${workers} generation workers alive)`,
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
    return { value: { workers, candidates, calls }, text };
  },
};
