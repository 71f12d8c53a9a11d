import { Command } from '@commander-js/extra-typings';
import { cancelTask, refundTask } from '@image-gateway/shared/billing';
import { getPublicUrls, loadSettings, sharedSettings } from '@image-gateway/shared/config';
import { findTask } from '@image-gateway/shared/db';
import { notFound } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import { formatDollars } from '@image-gateway/shared/money';
import { presentTask } from '@image-gateway/shared/presenters';
import type { CliRun } from '../cli/cli-context.js';
import { formatExample } from '../cli/help.js';
import { parseReason } from '../cli/parse-reason.js';
import { renderFields } from '../cli/render-fields.js';
import { renderTable } from '../cli/render-table.js';
import { deleteTask } from './delete-task.js';
import { failTask } from './fail-task.js';
import { findTaskDetail } from './find-task-detail.js';
import { requeueTask } from './requeue-task.js';

const { PORT, BASE_URL, FILE_URL } = sharedSettings;

/** Builds `task show`, which shows a task with its images, calls, money and webhook. */
export function buildTaskShow({ prisma, show }: CliRun) {
  return new Command('show')
    .description('Show a task: state, images, provider calls, ledger and webhook')
    .argument('<id>', 'task')
    .option('--verbose', 'show also the prompt and the URLs of the customer')
    .addHelpText('after', formatExample('task show gen_…'))
    .action(async (id, { verbose = false }) => {
      const value = await findTaskDetail(await prisma(), id, { verbose });
      const { outputs, provider_calls, ledger, webhook, image_urls, ...fields } = value;
      const section = (title: string, body: string): string => `\n\n${title}\n${body}`;
      const text = [
        renderFields({ ...fields, ...(image_urls && { image_urls: image_urls.join(' ') }) }),
        section('Images', renderTable(outputs)),
        section('Provider calls', renderTable(provider_calls)),
        section('Ledger', renderTable(ledger)),
        section('Webhook', webhook === null ? 'none' : renderFields(webhook)),
      ].join('');
      show({ value, text });
    });
}

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

/** Builds `task refund`, which refunds the whole cost of a task, once. */
export function buildTaskRefund({ db, show }: CliRun) {
  return new Command('refund')
    .description('Refund the whole cost of a completed task, once')
    .argument('<id>', 'task')
    .requiredOption('--reason <text>', 'reason, for the books', parseReason)
    .addHelpText('after', formatExample("task refund gen_… --reason 'broken image'"))
    .action(async (id, { reason }) => {
      const { amountMicros } = await refundTask({ db: db(), newId }, { taskId: id, reason, actor: 'cli' });
      const value = { id, refunded: formatDollars(amountMicros) };
      show({ value, text: renderFields(value) });
    });
}
