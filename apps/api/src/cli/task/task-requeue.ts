import { Command } from '@commander-js/extra-typings';
import { requeueTask } from '../../operations/task/requeue-task.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { renderFields } from '../render-fields.js';

/** Builds `task requeue`, which makes a queued task due now and resets its tries. */
export function buildTaskRequeue({ db, show }: CliRun) {
  return new Command('requeue')
    .description('Make a queued task due now and reset its tries; its deadline stays')
    .argument('<id>', 'task')
    .addHelpText('after', formatExample('task requeue gen_…'))
    .action(async (id) => {
      await requeueTask({ db: db() }, { taskId: id, actor: 'cli' });
      const value = { id, status: 'pending', phase: 'queued', tries: 0 };
      show({ value, text: renderFields(value) });
    });
}
