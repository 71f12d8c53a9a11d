import { requeueTask } from '../../operations/task/requeue-task.js';
import type { CliCommand } from '../cli-command.js';
import { renderFields } from '../render-fields.js';

/** `task requeue`: a queued task gets all its tries again and is due now. */
export const taskRequeue: CliCommand = {
  name: 'task requeue',
  summary: 'Make a queued task due now, with all its tries again; its deadline stays',
  arguments: ['ID'],
  example: 'task requeue gen_…',
  run: async (context, input) => {
    const id = input.argument(0);
    await requeueTask({ db: context.db() }, { taskId: id, actor: 'cli' });
    const value = { id, status: 'pending', phase: 'queued', tries: 0 };
    return { value, text: renderFields(value) };
  },
};
