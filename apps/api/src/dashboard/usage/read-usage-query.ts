import { USAGE_GROUPS } from '@image-gateway/shared/contract';
import Joi from 'joi';
import type { Call } from '../../http/framework/call.js';
import { readQuery } from '../../http/query.js';
import type { UsageSelection } from '../../operations/usage/find-usage.js';
import { parseGroups } from '../../operations/usage/group-usage.js';
import { daySchema, formatDay } from '../day-schema.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const groups = USAGE_GROUPS.join('|');

const usageQuery: Joi.ObjectSchema<{
  from?: string;
  to?: string;
  model?: string;
  api_key_id?: string;
  group_by: string;
}> = Joi.object({
  from: daySchema,
  to: daySchema,
  model: Joi.string().max(100).messages({ '*': 'model must be the id of a model.' }),
  api_key_id: Joi.string()
    .pattern(/^key_[0-9A-Za-z]{1,64}$/)
    .messages({ '*': 'api_key_id must be the id of an API key (key_…).' }),
  group_by: Joi.string()
    .pattern(new RegExp(`^(${groups})(,(${groups})){0,${USAGE_GROUPS.length - 1}}$`))
    .default('day,model')
    .messages({ '*': `group_by must be some of ${USAGE_GROUPS.join(', ')}, comma-separated.` }),
});

/** Reads the usage that a call asks for: the last thirty days unless it says otherwise, both ends included (UTC). Throws AppError `BAD_REQUEST`. */
export function readUsageQuery(call: Pick<Call, 'query'>, now = Date.now()): UsageSelection {
  const { from, to, model, api_key_id: apiKeyId, group_by } = readQuery(usageQuery, call);
  const last = to ?? formatDay(now);
  const first = from ?? formatDay(Date.parse(last) - 29 * DAY_MS);
  const groups = parseGroups(group_by);
  return { from: first, to: last, model: model ?? null, apiKeyId: apiKeyId ?? null, groups };
}
