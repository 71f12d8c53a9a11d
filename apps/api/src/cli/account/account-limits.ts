import { Command } from '@commander-js/extra-typings';
import type { Rate } from '@image-gateway/shared/config';
import { ACCOUNT_LIMITS } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import { findAccount } from '../../operations/account/find-account.js';
import { setAccountLimits } from '../../operations/account/set-account-limits.js';
import { toRate } from '../../operations/account/to-rate.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { renderFields } from '../render-fields.js';

/** Builds `account limits`, which shows or sets the limits of an account; an empty value removes a limit. */
export function buildAccountLimits({ db, prisma, show }: CliRun) {
  return (
    new Command('limits')
      .description(
        'Show or set limits of an account that replace the settings; an empty value removes a limit',
      )
      .argument('<id>', 'account')
      .option('--max-open <count>', 'open tasks at a time; replaces MAX_PENDING_TASKS')
      .option(
        '--requests <count/seconds>',
        'requests of all keys together, such as 600/60; replaces RATE_LIMIT_ACCOUNT',
      )
      .option(
        '--failed <count/seconds>',
        'tasks that fail because of their requests; replaces MAX_FAILED_TASKS',
      )
      .option(
        '--retention-days <days>',
        'days after which finished tasks are erased; replaces RETENTION_DAYS',
      )
      .addHelpText(
        'after',
        formatExample('account limits acc_… --max-open 50 --requests 300/60 --failed 200/3600'),
      )
      // Commander can't hold the null of a removed limit: the values are parsed here.
      .action(async (accountId, { maxOpen, requests, failed, retentionDays }) => {
        const given = {
          maxOpenTasks:
            maxOpen === undefined ? undefined : parseLimit('max-open', maxOpen, ACCOUNT_LIMITS.count),
          requests: requests === undefined ? undefined : parseRate('requests', requests),
          failedTasks: failed === undefined ? undefined : parseRate('failed', failed),
          retentionDays:
            retentionDays === undefined
              ? undefined
              : parseLimit('retention-days', retentionDays, ACCOUNT_LIMITS.retentionDays),
        };
        const before = await findAccount(await prisma(), accountId);
        const limits = {
          maxOpenTasks: given.maxOpenTasks === undefined ? before.maxOpenTasks : given.maxOpenTasks,
          requests:
            given.requests === undefined
              ? toRate(before.maxRequests, before.requestsSeconds)
              : given.requests,
          failedTasks:
            given.failedTasks === undefined
              ? toRate(before.maxFailedTasks, before.failedTasksSeconds)
              : given.failedTasks,
          retentionDays: given.retentionDays === undefined ? before.retentionDays : given.retentionDays,
        };
        if (Object.values(given).some((value) => value !== undefined)) {
          await setAccountLimits({ db: db() }, { accountId, ...limits, actor: 'cli' });
        }
        const value = {
          id: accountId,
          max_open_tasks: limits.maxOpenTasks,
          requests: renderRate(limits.requests),
          failed: renderRate(limits.failedTasks),
          retention_days: limits.retentionDays,
        };
        show({ value, text: renderFields(value) });
      })
  );
}

function parseLimit(option: string, text: string, max: number): number | null {
  if (text === '') {
    return null;
  }
  if (/^[1-9]\d{0,6}$/.test(text) && Number(text) <= max) {
    return Number(text);
  }
  throw new AppError('VALIDATION_ERROR', {
    publicMessage: `--${option}: a whole number from 1 to ${max.toLocaleString('en-US')}, or empty`,
  });
}

function parseRate(option: string, text: string): Rate | null {
  if (text === '') {
    return null;
  }
  const [limit = 0, windowSeconds = 0] = /^\d{1,7}\/\d{1,6}$/.test(text) ? text.split('/').map(Number) : [];
  if (limit >= 1 && limit <= ACCOUNT_LIMITS.count && windowSeconds >= 1) {
    return { limit, windowSeconds };
  }
  throw new AppError('VALIDATION_ERROR', {
    publicMessage: `--${option}: count/seconds, a count from 1 to 1,000,000 and 1 to 999,999 seconds, or empty`,
  });
}

function renderRate(rate: Rate | null): string | null {
  return rate && `${rate.limit}/${rate.windowSeconds}`;
}
