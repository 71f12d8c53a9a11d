import { Command } from '@commander-js/extra-typings';
import { getPublicUrls, loadSettings, sharedSettings } from '@image-gateway/shared/config';
import { cancelTask } from '../../operations/task/cancel-task.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { renderFields } from '../render-fields.js';

const { PORT, BASE_URL, FILE_URL } = sharedSettings;

/** Builds `task cancel`, which ends a task for its owner, at once or with its open calls. */
export function buildTaskCancel({ env, db, show }: CliRun) {
  return new Command('cancel')
    .description('Cancel a task: no call starts any more; what open calls deliver is stored and charged')
    .argument('<id>', 'task')
    .addHelpText('after', formatExample('task cancel gen_…'))
    .action(async (id) => {
      const { fileUrl } = getPublicUrls(loadSettings({ PORT, BASE_URL, FILE_URL }, env));
      const { status, cost } = await cancelTask(
        { db: db(), fileUrl },
        { taskId: id, accountId: null, actor: 'cli' },
      );
      const value = { id, status, cost };
      show({ value, text: renderFields(value) });
    });
}
