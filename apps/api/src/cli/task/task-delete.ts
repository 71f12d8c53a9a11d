import { Command } from '@commander-js/extra-typings';
import { deleteTask } from '../../operations/task/delete-task.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { renderFields } from '../render-fields.js';

/** Builds `task delete`, which erases a finished task for its owner. */
export function buildTaskDelete({ db, show }: CliRun) {
  return new Command('delete')
    .description(
      'Delete a finished task: its prompt, input URLs and images are erased for good, what it cost stays in the books',
    )
    .argument('<id>', 'task')
    .addHelpText('after', formatExample('task delete gen_…'))
    .action(async (id) => {
      await deleteTask(db(), { taskId: id, accountId: null, actor: 'cli' });
      const value = { id, deleted: true };
      show({ value, text: renderFields(value) });
    });
}
