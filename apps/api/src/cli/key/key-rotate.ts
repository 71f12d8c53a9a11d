import { Command } from '@commander-js/extra-typings';
import { AppError } from '@image-gateway/shared/errors';
import { rotateApiKey } from '../../operations/key/rotate-api-key.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { renderFields } from '../render-fields.js';

const DEFAULT_HOURS = 24;
const MAX_HOURS = 8_760;

/** Builds `key rotate`, which puts a new key in the place of an old one and shows it once. */
export function buildKeyRotate({ db, show }: CliRun) {
  return new Command('rotate')
    .description(
      'Replace an API key by a new one with the same limits, shown only once; the old one ends after a grace time',
    )
    .argument('<id>', 'API key')
    .option(
      '--grace-hours <hours>',
      `hours for which the old key works on (default: ${DEFAULT_HOURS}; 0: none)`,
      parseHours,
    )
    .addHelpText('after', formatExample('key rotate key_… --grace-hours 1'))
    .action(async (keyId, { graceHours = DEFAULT_HOURS }) => {
      const value = await rotateApiKey({ db: db() }, { accountId: null, keyId, graceHours, actor: 'cli' });
      show({ value, text: `${renderFields(value)}\n\nThe key is not shown again.` });
    });
}

function parseHours(text: string): number {
  const hours = Number(text);
  if (!/^\d{1,4}$/.test(text) || hours > MAX_HOURS) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: `--grace-hours: a whole number of hours from 0 to ${MAX_HOURS}`,
    });
  }
  return hours;
}
