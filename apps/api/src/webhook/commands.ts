import { Command } from '@commander-js/extra-typings';
import type { CliRun } from '../cli/cli-context.js';
import { formatExample } from '../cli/help.js';
import { renderFields } from '../cli/render-fields.js';
import { renderTable } from '../cli/render-table.js';
import { listTaskWebhooks } from './deliveries.js';
import { resendWebhook } from './resend-webhook.js';

/** Builds `webhook list`, which lists the webhook delivery of a task. */
export function buildWebhookList({ prisma, show }: CliRun) {
  return new Command('list')
    .description('List the webhook delivery of a task')
    .requiredOption('--task <id>', 'task')
    .addHelpText('after', formatExample('webhook list --task gen_…'))
    .action(async ({ task }) => {
      const value = await listTaskWebhooks(await prisma(), task);
      show({ value, text: renderTable(value, 'This task has no webhook, or has not ended yet.') });
    });
}

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
