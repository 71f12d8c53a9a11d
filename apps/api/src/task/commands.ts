import { cancelTask, refundTask } from '@image-gateway/shared/billing';
import { getPublicUrls, loadSettings, sharedSettings } from '@image-gateway/shared/config';
import { findTask } from '@image-gateway/shared/db';
import { notFound } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import { formatDollars } from '@image-gateway/shared/money';
import { presentTask } from '@image-gateway/shared/presenters';
import type { CliContext } from '../cli/cli-context.js';
import { defineCommand, fields, flag } from '../cli/define-command.js';
import { neededReason } from '../cli/read-values.js';
import { renderFields, renderTable } from '../cli/render.js';
import { deleteTask } from './delete-task.js';
import { failTask } from './fail-task.js';
import { findTaskDetail } from './find-task-detail.js';
import { requeueTask } from './requeue-task.js';

const args = { id: 'task' };
const actor = 'cli';

/** Commands `task …`. */
export const commands = {
  show: defineCommand({
    about: 'Show a task: state, images, provider calls, ledger and webhook',
    args,
    options: { verbose: flag('show also the prompt and the URLs of the customer') },
    example: 'gen_…',
    run: async ({ prisma }, { id, verbose }) => {
      const value = await findTaskDetail(await prisma(), id, { verbose });
      const { outputs, provider_calls, ledger, webhook, image_urls, ...rest } = value;
      const sections = [
        renderFields({ ...rest, ...(image_urls && { image_urls: image_urls.join(' ') }) }),
        `Images\n${renderTable(outputs)}`,
        `Provider calls\n${renderTable(provider_calls)}`,
        `Ledger\n${renderTable(ledger)}`,
        `Webhook\n${webhook === null ? 'none' : renderFields(webhook)}`,
      ];
      return { value, text: sections.join('\n\n') };
    },
  }),
  requeue: defineCommand({
    about: 'Make a queued task due now and reset its tries; its deadline stays',
    args,
    example: 'gen_…',
    run: async ({ db }, { id }) => {
      await requeueTask({ db: db() }, { taskId: id, actor });
      return fields({ id, status: 'pending', phase: 'queued', tries: 0 });
    },
  }),
  cancel: defineCommand({
    about: 'Cancel a task: no call starts any more; what open calls deliver is stored and charged',
    args,
    example: 'gen_…',
    run: async (context, { id }) => {
      const fileUrl = readFileUrl(context);
      const db = context.db();
      await cancelTask({ db, newId, fileUrl }, { taskId: id, accountId: null, actor });
      const task = await findTask(db, id);
      if (!task) {
        throw notFound('task', id);
      }
      const { status, cost } = presentTask(task, fileUrl);
      return fields({ id, status, cost });
    },
  }),
  delete: defineCommand({
    about:
      'Delete a finished task: its prompt, input URLs and images are erased for good, what it cost stays in the books',
    args,
    example: 'gen_…',
    run: async ({ db }, { id }) => {
      await deleteTask(db(), { taskId: id, accountId: null, actor });
      return fields({ id, deleted: true });
    },
  }),
  fail: defineCommand({
    about: 'End a pending task as failed, at no cost; its images are deleted',
    args,
    options: { reason: neededReason('reason, which the owner of the task reads') },
    example: "gen_… --reason 'withdrawn on request'",
    run: async (context, { id, reason }) => {
      const fileUrl = readFileUrl(context);
      await failTask({ db: context.db(), fileUrl }, { taskId: id, reason, actor });
      return fields({ id, status: 'failed', error: reason, cost: '$0.00' });
    },
  }),
  refund: defineCommand({
    about: 'Refund the whole cost of a completed task, once',
    args,
    options: { reason: neededReason('reason, for the books') },
    example: "gen_… --reason 'broken image'",
    run: async ({ db }, { id, reason }) => {
      const { amountMicros } = await refundTask({ db: db(), newId }, { taskId: id, reason, actor });
      return fields({ id, refunded: formatDollars(amountMicros) });
    },
  }),
};

function readFileUrl({ env }: Pick<CliContext, 'env'>): string {
  const { PORT, BASE_URL, FILE_URL } = sharedSettings;
  return getPublicUrls(loadSettings({ PORT, BASE_URL, FILE_URL }, env)).fileUrl;
}
