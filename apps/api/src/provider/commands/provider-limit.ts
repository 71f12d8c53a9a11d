import { Command } from '@commander-js/extra-typings';
import { loadActiveCatalog } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { parseDollarsOrZero } from '@image-gateway/shared/money';
import { PROVIDER_NAMES } from '@image-gateway/shared/upstreams';
import type { CliRun } from '../../cli/cli-context.js';
import { createAmountParser } from '../../cli/create-amount-parser.js';
import { formatExample } from '../../cli/help.js';
import { renderFields } from '../../cli/render-fields.js';
import { listProviderLimits, pauseProvider, resumeProvider, setProviderCeiling } from '../provider-limits.js';

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const MAX_SECONDS = 365 * 86_400;
const ACTOR = 'cli';

/** Builds `provider limit`, which shows or sets the daily ceiling of a provider. */
export function buildProviderLimit(run: CliRun) {
  return new Command('limit')
    .description(
      'Show or set what the calls of a provider may cost in a UTC day; further calls wait, an empty value removes it',
    )
    .argument('<name>', 'built-in provider or instance of the catalog')
    .option('--cost-day <dollars>', 'dollars a UTC day, open and unknown calls at list cost', parseCeiling)
    .addHelpText('after', formatExample('provider limit fal --cost-day 50.00'))
    .action(async (name, { costDay }) => {
      await requireProvider(run, name);
      if (costDay !== undefined) {
        await setProviderCeiling(run.db(), { name, costDayMicros: costDay.micros, actor: ACTOR });
      }
      await showLimits(run, name);
    });
}

/** Builds `provider pause`, which keeps new calls of a provider from starting. */
export function buildProviderPause(run: CliRun) {
  return new Command('pause')
    .description('Start no new calls of a provider; known jobs are polled to their end')
    .argument('<name>', 'built-in provider or instance of the catalog')
    .option('--for <time>', 'such as 90s, 30m, 2h or 1d; until it is resumed unless given', parseSeconds)
    .addHelpText('after', formatExample('provider pause fal --for 2h'))
    .action(async (name, { for: forSeconds = null }) => {
      await requireProvider(run, name);
      await pauseProvider(run.db(), { name, forSeconds, actor: ACTOR });
      await showLimits(run, name);
    });
}

/** Builds `provider resume`, which ends a pause. */
export function buildProviderResume(run: CliRun) {
  return new Command('resume')
    .description(
      'End the pause of a provider, also one that it asked for, and its open circuits; workers follow within 5 s',
    )
    .argument('<name>', 'provider')
    .addHelpText('after', formatExample('provider resume fal'))
    .action(async (name) => {
      await resumeProvider(run.db(), { name, actor: ACTOR });
      await showLimits(run, name);
    });
}

function parseCeiling(text: string): { readonly micros: bigint | null } {
  return {
    micros: text.trim() === '' ? null : createAmountParser('--cost-day', parseDollarsOrZero)(text),
  };
}

function parseSeconds(text: string): number {
  const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (SECONDS[unit] ?? 0);
  if (!(seconds >= 1 && seconds <= MAX_SECONDS)) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: '--for: a time from 1s to 365d, such as 90s, 30m, 2h or 1d',
    });
  }
  return seconds;
}

/** Throws AppError `NOT_FOUND` for a name that is neither built in, nor in the catalog, nor has limits. */
async function requireProvider({ db }: CliRun, name: string): Promise<void> {
  const [{ catalog }, limits] = await Promise.all([loadActiveCatalog(db()), listProviderLimits(db())]);
  const names = [...PROVIDER_NAMES, ...catalog.instances.keys()];
  if (!names.includes(name) && !limits.some(({ provider }) => provider === name)) {
    throw new AppError('NOT_FOUND', {
      publicMessage: `There is no provider ${name}. There are: ${names.join(', ')}.`,
    });
  }
}

async function showLimits({ db, show }: CliRun, name: string): Promise<void> {
  const found = (await listProviderLimits(db())).find(({ provider }) => provider === name);
  const { provider: _, ...limits } = found ?? { provider: name, ...NO_LIMITS };
  const value = { name, ...limits };
  show({ value, text: renderFields(value) });
}

const NO_LIMITS = { cost_day: null, spent_today: null, paused: false, paused_until: null } as const;
