import { Command } from '@commander-js/extra-typings';
import { updateApiKey } from '../../operations/key/update-api-key.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { renderFields } from '../render-fields.js';
import { LIMIT_OPTIONS, readLimits } from './limit-options.js';

/** Builds `key update`, which changes the limits of a key. */
export function buildKeyUpdate({ db, show }: CliRun) {
  return new Command('update')
    .description('Change the limits of an API key, which apply within 5 seconds')
    .argument('<id>', 'API key')
    .option(...LIMIT_OPTIONS.models)
    .option(...LIMIT_OPTIONS.scopes)
    .option(...LIMIT_OPTIONS.cidrs)
    .option(...LIMIT_OPTIONS.capDay)
    .option(...LIMIT_OPTIONS.capMonth)
    .option(...LIMIT_OPTIONS.capTotal)
    .option(...LIMIT_OPTIONS.capDayPer)
    .option(...LIMIT_OPTIONS.joinEqual)
    .addHelpText('after', formatExample('key update key_… --cap-day 5.00 --scopes generate'))
    .action(async (id, options) => {
      await updateApiKey({ db: db() }, { keyId: id, limits: readLimits(options), actor: 'cli' });
      const value = { id };
      show({ value, text: renderFields(value) });
    });
}
