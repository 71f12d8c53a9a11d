import { findTask } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import type { CliCommand } from '../cli-command.js';
import { renderTable } from '../render-table.js';
import { presentDelivery } from './present-delivery.js';

/** `webhook list`: the delivery of a task, if it asked for one. */
export const webhookList: CliCommand = {
  name: 'webhook list',
  summary: 'Show how the webhook of a task stands',
  options: { task: { value: 'ID', help: 'the task', required: true } },
  example: 'webhook list --task gen_…',
  run: async (context, input) => {
    const db = context.db();
    const taskId = input.option('task');
    const deliveries = await db.prisma.webhookDelivery.findMany({ where: { taskId } });
    if (deliveries.length === 0 && !(await findTask(db, taskId)))
      throw new AppError('NOT_FOUND', { publicMessage: `There is no task ${taskId}.` });
    const value = deliveries.map(presentDelivery);
    return { value, text: renderTable(value, 'This task has no webhook, or has not ended yet.') };
  },
};
