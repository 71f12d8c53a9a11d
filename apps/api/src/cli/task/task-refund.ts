import { Command } from '@commander-js/extra-typings';
import { refundTask } from '@image-gateway/shared/billing';
import { newId } from '@image-gateway/shared/ids';
import { formatDollars } from '@image-gateway/shared/money';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { parseReason } from '../parse-reason.js';
import { renderFields } from '../render-fields.js';

/** Builds `task refund`, which refunds the whole cost of a task, once. */
export function buildTaskRefund({ db, show }: CliRun) {
  return new Command('refund')
    .description('Refund the whole cost of a completed task, once')
    .argument('<id>', 'task')
    .requiredOption('--reason <text>', 'reason, for the books', parseReason)
    .addHelpText('after', formatExample("task refund gen_… --reason 'broken image'"))
    .action(async (id, { reason }) => {
      const { amountMicros } = await refundTask({ db: db(), newId }, { taskId: id, reason, actor: 'cli' });
      const value = { id, refunded: formatDollars(amountMicros) };
      show({ value, text: renderFields(value) });
    });
}
