import { rotateWebhookSecret } from '../../operations/webhook/rotate-webhook-secret.js';
import type { CliCommand } from '../cli-command.js';
import { renderFields } from '../render-fields.js';

/** `account rotate-webhook-secret`: a new secret, and 24 hours in which the old one signs too. */
export const accountRotateWebhookSecret: CliCommand = {
  name: 'account rotate-webhook-secret',
  summary: 'Make a new webhook secret; the old one goes on signing for 24 hours',
  arguments: ['ID'],
  example: 'account rotate-webhook-secret acc_…',
  run: async (context, input) => {
    const id = input.argument(0);
    const rotated = await rotateWebhookSecret({ db: context.db() }, { accountId: id, actor: 'cli' });
    const value = {
      id,
      webhook_secret: rotated.webhookSecret,
      previous_until: rotated.previousUntil.toISOString(),
    };
    return { value, text: renderFields(value) };
  },
};
