import { listTaskWebhooks } from '../../operations/webhook/list-task-webhooks.js';
import type { CliCommand } from '../cli-command.js';
import { renderTable } from '../render-table.js';

/** `webhook list`: the delivery of a task, if it asked for one. */
export const webhookList: CliCommand = {
  name: 'webhook list',
  summary: 'Show how the webhook of a task stands',
  options: { task: { value: 'ID', help: 'the task', required: true } },
  example: 'webhook list --task gen_…',
  run: async (context, input) => {
    const value = await listTaskWebhooks(context.db(), input.option('task'));
    return { value, text: renderTable(value, 'This task has no webhook, or has not ended yet.') };
  },
};
