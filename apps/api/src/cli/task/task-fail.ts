import { getPublicUrls, loadSettings, sharedSettings } from '@image-gateway/shared/config';
import { failTask } from '../../operations/task/fail-task.js';
import { checkReason } from '../check-reason.js';
import type { CliCommand } from '../cli-command.js';
import { renderFields } from '../render-fields.js';

const { PORT, BASE_URL, FILE_URL } = sharedSettings;

/** `task fail`: ends a pending task as failed, at no cost. */
export const taskFail: CliCommand = {
  name: 'task fail',
  summary: 'End a pending task as failed, at no cost; its images are deleted',
  arguments: ['ID'],
  options: { reason: { value: 'T', help: 'what the owner of the task reads', required: true } },
  example: "task fail gen_… --reason 'withdrawn on request'",
  run: async (context, input) => {
    const id = input.argument(0);
    const reason = checkReason(input.option('reason'));
    const { fileUrl } = getPublicUrls(loadSettings({ PORT, BASE_URL, FILE_URL }, context.env));
    await failTask({ db: context.db(), fileUrl }, { taskId: id, reason, actor: 'cli' });
    const value = { id, status: 'failed', error: reason, cost: '$0.00' };
    return { value, text: renderFields(value) };
  },
};
