import { revokeApiKey } from '../../operations/key/revoke-api-key.js';
import type { CliCommand } from '../cli-command.js';
import { renderFields } from '../render-fields.js';

/** `key revoke`: the key stops working within five seconds, for good. */
export const keyRevoke: CliCommand = {
  name: 'key revoke',
  summary: 'Revoke an API key; it is refused within 5 seconds',
  arguments: ['ID'],
  example: 'key revoke key_…',
  run: async (context, input) => {
    const id = input.argument(0);
    const { revokedAt } = await revokeApiKey({ db: context.db() }, { keyId: id, actor: 'cli' });
    const value = { id, revoked_at: revokedAt.toISOString() };
    return { value, text: renderFields(value) };
  },
};
