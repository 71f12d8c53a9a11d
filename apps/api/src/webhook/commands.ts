import { defineCommand, fields, needed, table } from '../cli/define-command.js';
import { listTaskWebhooks } from './deliveries.js';
import { resendWebhook } from './resend-webhook.js';

/** Commands `webhook …`. */
export const commands = {
  list: defineCommand({
    about: 'List the webhook delivery of a task',
    options: { task: needed('<id>', 'task') },
    example: '--task gen_…',
    run: async ({ prisma }, { task }) =>
      table(await listTaskWebhooks(await prisma(), task), 'This task has no webhook, or has not ended yet.'),
  }),
  resend: defineCommand({
    about: 'Send a webhook again now, with the same id and body and a new signature',
    args: { id: 'webhook' },
    example: 'msg_…',
    run: async ({ prisma }, { id }) =>
      fields(await resendWebhook({ db: await prisma() }, { id, actor: 'cli' })),
  }),
};
