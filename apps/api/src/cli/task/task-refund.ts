import { refundTask } from '@image-gateway/shared/billing';
import { newId } from '@image-gateway/shared/ids';
import { formatDollars } from '@image-gateway/shared/money';
import { checkReason } from '../check-reason.js';
import type { CliCommand } from '../cli-command.js';
import { renderFields } from '../render-fields.js';

/** `task refund`: gives back all that a task cost, once. */
export const taskRefund: CliCommand = {
  name: 'task refund',
  summary: 'Give back all that a completed task cost, once',
  arguments: ['ID'],
  options: { reason: { value: 'T', help: 'why, for the books', required: true } },
  example: "task refund gen_… --reason 'broken picture'",
  run: async (context, input) => {
    const db = context.db();
    const id = input.argument(0);
    const reason = checkReason(input.option('reason'));
    const audit = { actor: 'cli', reason };
    const { amountMicros } = await refundTask({ db, newId }, { taskId: id, reason, audit });
    const refunded = formatDollars(amountMicros);
    const value = { id, refunded };
    return { value, text: renderFields(value) };
  },
};
