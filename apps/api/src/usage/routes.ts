import {
  MAX_REASON_LENGTH,
  type Metadata,
  USAGE_FORMATS,
  type UsageFormat,
} from '@image-gateway/shared/contract';
import { parseDollars } from '@image-gateway/shared/money';
import {
  boundedText,
  METADATA_RULE,
  metadataSchema,
  usageGroupSchema,
} from '@image-gateway/shared/validation';
import Joi from 'joi';
import { askForCredit } from '../account/credit-requests.js';
import { findOverview } from '../account/find-overview.js';
import type { DashboardDeps } from '../dashboard-deps.js';
import { readQuery } from '../http/query.js';
import { dayField, formatDay, readAmount } from '../http/session/form-fields.js';
import { limitChanges } from '../http/session/limit-changes.js';
import { DASHBOARD_API, type DashboardRoute, owner } from '../http/session/route.js';
import { findUsage, toRowFilter, type UsageSelection } from './find-usage.js';
import { parseGroups } from './group-usage.js';

const DAY_MS = 24 * 60 * 60 * 1000;

interface Query {
  readonly from?: string;
  readonly to?: string;
  readonly model?: string;
  readonly api_key_id?: string;
  readonly metadata?: Metadata;
  readonly group_by: string;
}

const usageQuery: Joi.ObjectSchema<Query> = Joi.object({
  from: dayField,
  to: dayField,
  model: Joi.string().max(100).messages({ '*': 'model must be the id of a model.' }),
  api_key_id: Joi.string()
    .pattern(/^key_[0-9A-Za-z]{1,64}$/)
    .messages({ '*': 'api_key_id must be the id of an API key (key_…).' }),
  metadata: metadataSchema().messages({ '*': `metadata must be ${METADATA_RULE}.` }),
  group_by: usageGroupSchema().default('day,model'),
});

const creditBody: Joi.ObjectSchema<{ amount: string; note: string }> = Joi.object({
  amount: Joi.string()
    .max(40)
    .allow('')
    .default('')
    .messages({ '*': 'Enter an amount in dollars such as 5.00, or nothing.' }),
  note: boundedText(MAX_REASON_LENGTH)
    .allow('')
    .default('')
    .messages({ '*': `A note has at most ${MAX_REASON_LENGTH} characters.` }),
}).required();

/** Routes of an account at a glance, and of its owner's way to money. */
export const overviewRoutes = ({ db, limiter, reads, fileUrl }: DashboardDeps): readonly DashboardRoute[] => [
  owner('post /credit-requests', {
    admit: limitChanges(limiter, 'access'),
    body: creditBody,
    run: ({ accountId, user, input: { amount, note } }) =>
      askForCredit(db, {
        accountId,
        email: user.email,
        amountMicros: amount.trim() === '' ? null : readAmount(amount, parseDollars),
        note: note.trim() === '' ? null : note.trim(),
      }),
  }),
  owner('get /overview', {
    run: ({ accountId }) => findOverview({ db: reads.ofAccount(accountId), fileUrl }, accountId),
  }),
];

/** Routes of what an account used, by day and group, and as files. */
export const usageRoutes = (deps: DashboardDeps): readonly DashboardRoute[] => [
  owner('get /usage', {
    query: usageQuery,
    run: ({ accountId, input }) => findUsage(deps.reads.ofAccount(accountId), accountId, toSelection(input)),
  }),
  ...USAGE_FORMATS.map((format) => usageFile(deps, format)),
];

/** The files of `GET /v1/usage` for a span of days, and the API key of each record. Costs add up to what left the balance. */
function usageFile({ exportUsage }: DashboardDeps, format: UsageFormat): DashboardRoute {
  return {
    method: 'get',
    path: `${DASHBOARD_API}/usage.${format}`,
    access: 'owner',
    handle: async (call) => {
      const span = toSelection(readQuery(usageQuery, call));
      const wanted = { accountId: call.accountId, filter: toRowFilter(span), format, withKeys: true };
      const { contentType, stream } = await exportUsage(wanted);
      return {
        status: 200,
        headers: {
          'Content-Type': contentType,
          'Content-Disposition': `attachment; filename="usage-${span.from}-to-${span.to}.${format}"`,
          'Cache-Control': 'no-store',
        },
        stream,
      };
    },
  };
}

/** Returns the usage that a query asks for: the last thirty days unless it says otherwise, both ends included (UTC). */
function toSelection({ from, to, model, api_key_id: apiKeyId, metadata, group_by }: Query): UsageSelection {
  const last = to ?? formatDay(Date.now());
  const first = from ?? formatDay(Date.parse(last) - 29 * DAY_MS);
  return {
    from: first,
    to: last,
    model: model ?? null,
    apiKeyId: apiKeyId ?? null,
    ...(metadata && { metadata }),
    ...parseGroups(group_by),
  };
}
