import { Command } from '@commander-js/extra-typings';
import { resendWebhook } from '../../operations/webhook/resend-webhook.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { renderFields } from '../render-fields.js';

/** Builds `webhook resend`, which sends a webhook again with the same id and body. */
export function buildWebhookResend({ prisma, show }: CliRun) {
  return new Command('resend')
    .description('Send a webhook again now, with the same id and body and a new signature')
    .argument('<id>', 'webhook')
    .addHelpText('after', formatExample('webhook resend msg_…'))
    .action(async (id) => {
      const value = await resendWebhook({ db: await prisma() }, { id, actor: 'cli' });
      show({ value, text: renderFields(value) });
    });
}
