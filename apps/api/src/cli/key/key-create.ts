import { Command } from '@commander-js/extra-typings';
import { AppError } from '@image-gateway/shared/errors';
import { parseInstant } from '@image-gateway/shared/validation';
import { createApiKey } from '../../operations/key/create-api-key.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { renderFields } from '../render-fields.js';
import { LIMIT_OPTIONS, readLimits } from './limit-options.js';

/** Builds `key create`, which creates an API key and shows it once. */
export function buildKeyCreate({ db, show }: CliRun) {
  return new Command('create')
    .description('Create an API key, which is shown only once')
    .requiredOption('--account <id>', 'account that pays')
    .option('--name <text>', 'name of the key')
    .option(
      '--expires <time>',
      'time after which the key is refused, such as 2030-01-31T00:00:00Z',
      parseTime,
    )
    .option(...LIMIT_OPTIONS.models)
    .option(...LIMIT_OPTIONS.scopes)
    .option(...LIMIT_OPTIONS.cidrs)
    .option(...LIMIT_OPTIONS.capDay)
    .option(...LIMIT_OPTIONS.capMonth)
    .option(...LIMIT_OPTIONS.capTotal)
    .option(...LIMIT_OPTIONS.capDayPer)
    .option(...LIMIT_OPTIONS.joinEqual)
    .addHelpText('after', formatExample('key create --account acc_… --name production'))
    .action(async ({ account: accountId, name = '', expires: expiresAt = null, ...options }) => {
      const limits = readLimits(options);
      const key = await createApiKey({ db: db() }, { accountId, name, expiresAt, limits, actor: 'cli' });
      const value = { id: key.id, key: key.key, prefix: key.prefix };
      show({ value, text: `${renderFields(value)}\n\nThe key is not shown again.` });
    });
}

function parseTime(text: string): Date {
  const time = parseInstant(text);
  if (!time) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: `--expires: "${text}" is not a date or time of the years 0001 to 9999, such as 2030-01-31T00:00:00Z`,
    });
  }
  return time;
}
