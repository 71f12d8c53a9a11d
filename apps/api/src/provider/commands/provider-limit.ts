import { type Database, loadActiveCatalog } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { parseDollarsOrZero } from '@image-gateway/shared/money';
import { PROVIDER_NAMES } from '@image-gateway/shared/upstreams';
import type { CliResult } from '../../cli/cli-context.js';
import { defineCommand, fields, option } from '../../cli/define-command.js';
import { readAmount, refused } from '../../cli/read-values.js';
import { listProviderLimits, pauseProvider, resumeProvider, setProviderCeiling } from '../provider-limits.js';

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const MAX_SECONDS = 365 * 86_400;
const NO_LIMITS = { cost_day: null, spent_today: null, paused: false, paused_until: null } as const;
const args = { name: 'built-in provider or instance of the catalog' };
const actor = 'cli';

/** Commands `provider limit`, `provider pause` and `provider resume`. */
export const commands = {
  limit: defineCommand({
    about:
      'Show or set what the calls of a provider may cost in a UTC day; further calls wait, an empty value removes it',
    args,
    options: {
      costDay: option('<dollars>', 'dollars a UTC day, open and unknown calls at list cost', parseCeiling),
    },
    example: 'fal --cost-day 50.00',
    run: async ({ db }, { name, costDay }) => {
      await requireProvider(db(), name);
      if (costDay !== undefined) {
        await setProviderCeiling(db(), { name, costDayMicros: costDay.micros, actor });
      }
      return showLimits(db(), name);
    },
  }),
  pause: defineCommand({
    about: 'Start no new calls of a provider; known jobs are polled to their end',
    args,
    options: {
      for: option('<time>', 'such as 90s, 30m, 2h or 1d; until it is resumed unless given', parseSeconds),
    },
    example: 'fal --for 2h',
    run: async ({ db }, { name, for: forSeconds = null }) => {
      await requireProvider(db(), name);
      await pauseProvider(db(), { name, forSeconds, actor });
      return showLimits(db(), name);
    },
  }),
  resume: defineCommand({
    about:
      'End the pause of a provider, also one that it asked for, and its open circuits; workers follow within 5 s',
    args: { name: 'provider' },
    example: 'fal',
    run: async ({ db }, { name }) => {
      await resumeProvider(db(), { name, actor });
      return showLimits(db(), name);
    },
  }),
};

function parseCeiling(text: string): { readonly micros: bigint | null } {
  return {
    micros: text.trim() === '' ? null : readAmount('--cost-day', parseDollarsOrZero)(text),
  };
}

function parseSeconds(text: string): number {
  const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (SECONDS[unit] ?? 0);
  if (!(seconds >= 1 && seconds <= MAX_SECONDS)) {
    throw refused('--for: a time from 1s to 365d, such as 90s, 30m, 2h or 1d');
  }
  return seconds;
}

/** Throws AppError `NOT_FOUND` for a name that is neither built in, nor in the catalog, nor has limits. */
async function requireProvider(db: Database, name: string): Promise<void> {
  const [{ catalog }, limits] = await Promise.all([loadActiveCatalog(db), listProviderLimits(db)]);
  const names = [...PROVIDER_NAMES, ...catalog.instances.keys()];
  if (!names.includes(name) && !limits.some(({ provider }) => provider === name)) {
    throw new AppError('NOT_FOUND', {
      publicMessage: `There is no provider ${name}. There are: ${names.join(', ')}.`,
    });
  }
}

async function showLimits(db: Database, name: string): Promise<CliResult> {
  const found = (await listProviderLimits(db)).find(({ provider }) => provider === name);
  const { provider: _, ...limits } = found ?? { provider: name, ...NO_LIMITS };
  return fields({ name, ...limits });
}
