import { Command } from '@commander-js/extra-typings';
import { rotateWebhookSecret } from '../../operations/webhook/rotate-webhook-secret.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { renderFields } from '../render-fields.js';

/** Builds `account rotate-webhook-secret`, after which the previous secret also signs for 24 hours. */
export function buildAccountRotateWebhookSecret({ db, show }: CliRun) {
  return new Command('rotate-webhook-secret')
    .description('Create a new webhook secret; the previous one also signs for 24 hours')
    .argument('<id>', 'account')
    .addHelpText('after', formatExample('account rotate-webhook-secret acc_…'))
    .action(async (id) => {
      const rotated = await rotateWebhookSecret({ db: db() }, { accountId: id, actor: 'cli' });
      const value = {
        id,
        webhook_secret: rotated.webhookSecret,
        previous_until: rotated.previousUntil.toISOString(),
      };
      show({ value, text: renderFields(value) });
    });
}
