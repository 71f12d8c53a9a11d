import { ACCOUNT_LIMITS } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import Joi from 'joi';
import { setAccountLimits } from '../../../operations/account/set-account-limits.js';
import { toRate } from '../../../operations/account/to-rate.js';
import { dataReply } from '../../data-reply.js';
import { readBody } from '../../read-body.js';
import type { UserHandler } from '../../route.js';

interface Body {
  readonly max_open_tasks: number | null;
  readonly key_requests_per_minute: number | null;
  readonly requests_seconds?: number | null;
  readonly max_failed_tasks?: number | null;
  readonly failed_tasks_seconds?: number | null;
  readonly retention_days?: number | null;
}

const limit = () =>
  Joi.number()
    .integer()
    .min(1)
    .max(ACCOUNT_LIMITS.count)
    .allow(null)
    .messages({ '*': 'A limit is a whole number from 1 to 1,000,000, or empty.' });

const limitsBody: Joi.ObjectSchema<Body> = Joi.object({
  max_open_tasks: limit().required(),
  key_requests_per_minute: limit().required(),
  requests_seconds: limit().max(ACCOUNT_LIMITS.seconds),
  max_failed_tasks: limit(),
  failed_tasks_seconds: limit().max(ACCOUNT_LIMITS.seconds),
  retention_days: limit()
    .max(ACCOUNT_LIMITS.retentionDays)
    .messages({ '*': 'Days are a whole number from 1 to 36,500, or empty.' }),
}).required();

/** `POST /dashboard/api/operator/accounts/{id}/limits`: what this account may do instead of what everybody may. */
export function setLimits({
  db,
}: {
  readonly db: Database;
}): UserHandler<'post /operator/accounts/:id/limits'> {
  return async ({ user, body, params: { id = '' } }) => {
    const limits = readBody(limitsBody, body);
    await setAccountLimits(
      { db },
      {
        accountId: id,
        maxOpenTasks: limits.max_open_tasks,
        requests: toRate(limits.key_requests_per_minute, limits.requests_seconds ?? 60),
        failedTasks: toRate(limits.max_failed_tasks ?? null, limits.failed_tasks_seconds ?? 3600),
        ...(limits.retention_days !== undefined && { retentionDays: limits.retention_days }),
        actor: user.email,
      },
    );
    return dataReply({});
  };
}
