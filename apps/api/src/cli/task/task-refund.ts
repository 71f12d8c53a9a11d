import { refundTask } from '../../operations/task/refund-task.js';
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
    const id = input.argument(0);
    const reason = checkReason(input.option('reason'));
    const { refunded } = await refundTask({ db: context.db() }, { taskId: id, reason, actor: 'cli' });
    const value = { id, refunded };
    return { value, text: renderFields(value) };
  },
};
