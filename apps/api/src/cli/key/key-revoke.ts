import { Command } from '@commander-js/extra-typings';
import { revokeApiKey } from '../../operations/key/revoke-api-key.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { renderFields } from '../render-fields.js';

/** Builds `key revoke`, after which the key is refused within five seconds. */
export function buildKeyRevoke({ db, show }: CliRun) {
  return new Command('revoke')
    .description('Revoke an API key; requests with it are refused within 5 seconds')
    .argument('<id>', 'API key')
    .addHelpText('after', formatExample('key revoke key_…'))
    .action(async (id) => {
      const { revokedAt } = await revokeApiKey({ db: db() }, { keyId: id, actor: 'cli' });
      const value = { id, revoked_at: revokedAt.toISOString() };
      show({ value, text: renderFields(value) });
    });
}
