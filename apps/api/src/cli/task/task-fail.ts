import { Command } from '@commander-js/extra-typings';
import { getPublicUrls, loadSettings, sharedSettings } from '@image-gateway/shared/config';
import { failTask } from '../../operations/task/fail-task.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { parseReason } from '../parse-reason.js';
import { renderFields } from '../render-fields.js';

const { PORT, BASE_URL, FILE_URL } = sharedSettings;

/** Builds `task fail`, which ends a pending task as failed, at no cost. */
export function buildTaskFail({ env, db, show }: CliRun) {
  return new Command('fail')
    .description('End a pending task as failed, at no cost; its images are deleted')
    .argument('<id>', 'task')
    .requiredOption('--reason <text>', 'reason, which the owner of the task reads', parseReason)
    .addHelpText('after', formatExample("task fail gen_… --reason 'withdrawn on request'"))
    .action(async (id, { reason }) => {
      const { fileUrl } = getPublicUrls(loadSettings({ PORT, BASE_URL, FILE_URL }, env));
      await failTask({ db: db(), fileUrl }, { taskId: id, reason, actor: 'cli' });
      const value = { id, status: 'failed', error: reason, cost: '$0.00' };
      show({ value, text: renderFields(value) });
    });
}
