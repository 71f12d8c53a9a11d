import { findTaskDetail } from '../../operations/task/find-task-detail.js';
import type { CliCommand } from '../cli-command.js';
import { renderFields } from '../render-fields.js';
import { renderTable } from '../render-table.js';

/** `task show`: a task and all that hangs on it. */
export const taskShow: CliCommand = {
  name: 'task show',
  summary: 'Show a task: state, images, provider calls, money, webhook',
  arguments: ['ID'],
  options: { verbose: { help: 'also show what the customer wrote: prompt and URLs' } },
  example: 'task show gen_…',
  run: async (context, input) => {
    const verbose = input.flag('verbose');
    const value = await findTaskDetail(context.db(), input.argument(0), { verbose });
    const { outputs, provider_calls, ledger, webhook, image_urls, ...fields } = value;
    const section = (title: string, body: string): string => `\n\n${title}\n${body}`;
    const text = [
      renderFields({ ...fields, ...(image_urls && { image_urls: image_urls.join(' ') }) }),
      section('Images', renderTable(outputs)),
      section('Provider calls', renderTable(provider_calls)),
      section('Ledger', renderTable(ledger)),
      section('Webhook', webhook === null ? 'none' : renderFields(webhook)),
    ].join('');
    return { value, text };
  },
};
