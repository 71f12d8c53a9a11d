import { Command } from '@commander-js/extra-typings';
import { findTaskDetail } from '../../operations/task/find-task-detail.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { renderFields } from '../render-fields.js';
import { renderTable } from '../render-table.js';

/** Builds `task show`, which shows a task with its images, calls, money and webhook. */
export function buildTaskShow({ prisma, show }: CliRun) {
  return new Command('show')
    .description('Show a task: state, images, provider calls, ledger and webhook')
    .argument('<id>', 'task')
    .option('--verbose', 'show also the prompt and the URLs of the customer')
    .addHelpText('after', formatExample('task show gen_…'))
    .action(async (id, { verbose = false }) => {
      const value = await findTaskDetail(await prisma(), id, { verbose });
      const { outputs, provider_calls, ledger, webhook, image_urls, ...fields } = value;
      const section = (title: string, body: string): string => `\n\n${title}\n${body}`;
      const text = [
        renderFields({ ...fields, ...(image_urls && { image_urls: image_urls.join(' ') }) }),
        section('Images', renderTable(outputs)),
        section('Provider calls', renderTable(provider_calls)),
        section('Ledger', renderTable(ledger)),
        section('Webhook', webhook === null ? 'none' : renderFields(webhook)),
      ].join('');
      show({ value, text });
    });
}
