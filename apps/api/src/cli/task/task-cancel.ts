import { Command } from '@commander-js/extra-typings';
import { cancelTask } from '@image-gateway/shared/billing';
import { getPublicUrls, loadSettings, sharedSettings } from '@image-gateway/shared/config';
import { findTask } from '@image-gateway/shared/db';
import { notFound } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import { presentTask } from '@image-gateway/shared/presenters';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { renderFields } from '../render-fields.js';

const { PORT, BASE_URL, FILE_URL } = sharedSettings;

/** Builds `task cancel`, which ends a task for its owner, at once or with its open calls. */
export function buildTaskCancel({ env, db: open, show }: CliRun) {
  return new Command('cancel')
    .description('Cancel a task: no call starts any more; what open calls deliver is stored and charged')
    .argument('<id>', 'task')
    .addHelpText('after', formatExample('task cancel gen_…'))
    .action(async (id) => {
      const { fileUrl } = getPublicUrls(loadSettings({ PORT, BASE_URL, FILE_URL }, env));
      const db = open();
      await cancelTask({ db, newId, fileUrl }, { taskId: id, accountId: null, actor: 'cli' });
      const task = await findTask(db, id);
      if (!task) {
        throw notFound('task', id);
      }
      const { status, cost } = presentTask(task, fileUrl);
      const value = { id, status, cost };
      show({ value, text: renderFields(value) });
    });
}
