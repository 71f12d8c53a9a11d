import { resendWebhook } from '../../operations/webhook/resend-webhook.js';
import type { CliCommand } from '../cli-command.js';
import { renderFields } from '../render-fields.js';

/** `webhook resend`: the same webhook once more, with the same id and body. */
export const webhookResend: CliCommand = {
  name: 'webhook resend',
  summary: 'Send a webhook again now, with the same id and body and a fresh signature',
  arguments: ['ID'],
  example: 'webhook resend msg_…',
  run: async (context, input) => {
    const value = await resendWebhook({ db: context.db() }, { id: input.argument(0), actor: 'cli' });
    return { value, text: renderFields(value) };
  },
};
