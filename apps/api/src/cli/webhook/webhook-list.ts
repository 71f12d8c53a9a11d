import { Command } from '@commander-js/extra-typings';
import { listTaskWebhooks } from '../../operations/webhook/list-task-webhooks.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { renderTable } from '../render-table.js';

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
