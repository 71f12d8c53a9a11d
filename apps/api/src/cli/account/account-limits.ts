import type { Rate } from '@image-gateway/shared/config';
import { AppError } from '@image-gateway/shared/errors';
import { findAccount } from '../../operations/account/find-account.js';
import { setAccountLimits } from '../../operations/account/set-account-limits.js';
import { toRate } from '../../operations/account/to-rate.js';
import type { CliCommand } from '../cli-command.js';
import { renderFields } from '../render-fields.js';

const MAX_LIMIT = 1_000_000;

/** `account limits`: shows or sets what an account may do in place of the settings; an empty value removes a limit. */
export const accountLimits: CliCommand = {
  name: 'account limits',
  summary: 'Limits of an account in place of the settings; an empty value removes one',
  arguments: ['ID'],
  options: {
    'max-open': { value: 'N', help: 'open tasks, in place of MAX_PENDING_TASKS' },
    requests: { value: 'N/S', help: 'requests in so many seconds of all keys together, such as 600/60' },
    failed: { value: 'N/S', help: 'tasks that fail because of their requests, in place of MAX_FAILED_TASKS' },
  },
  example: 'account limits acc_… --max-open 50 --requests 300/60 --failed 200/3600',
  run: async (context, input) => {
    const db = context.db();
    const accountId = input.argument(0);
    const before = await findAccount(db, accountId);
    const open = input.optional('max-open');
    const requests = input.optional('requests');
    const failed = input.optional('failed');
    const limits = {
      maxOpenTasks: open === undefined ? before.maxOpenTasks : parseLimit(open),
      requests:
        requests === undefined
          ? toRate(before.maxRequests, before.requestsSeconds)
          : parseRateOption('requests', requests),
      failedTasks:
        failed === undefined
          ? toRate(before.maxFailedTasks, before.failedTasksSeconds)
          : parseRateOption('failed', failed),
    };
    if (open !== undefined || requests !== undefined || failed !== undefined)
      await setAccountLimits({ db }, { accountId, ...limits, actor: 'cli' });
    const value = {
      id: accountId,
      max_open_tasks: limits.maxOpenTasks,
      requests: renderRate(limits.requests),
      failed: renderRate(limits.failedTasks),
    };
    return { value, text: renderFields(value) };
  },
};

function parseLimit(text: string): number | null {
  if (text === '') return null;
  if (/^[1-9]\d{0,6}$/.test(text) && Number(text) <= MAX_LIMIT) return Number(text);
  throw new AppError('VALIDATION_ERROR', {
    publicMessage: '--max-open: a whole number from 1 to 1,000,000, or empty',
  });
}

function parseRateOption(option: string, text: string): Rate | null {
  if (text === '') {
    return null;
  }
  const [limit = 0, windowSeconds = 0] = /^\d{1,7}\/\d{1,6}$/.test(text) ? text.split('/').map(Number) : [];
  if (limit >= 1 && limit <= MAX_LIMIT && windowSeconds >= 1) {
    return { limit, windowSeconds };
  }
  throw new AppError('VALIDATION_ERROR', {
    publicMessage: `--${option}: N/S with N from 1 to 1,000,000 and S seconds from 1 to 999,999, or empty`,
  });
}

function renderRate(rate: Rate | null): string | null {
  return rate && `${rate.limit}/${rate.windowSeconds}`;
}
