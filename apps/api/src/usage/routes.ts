import { creditRequestBody } from '@image-gateway/shared/account/schema';
import { USAGE_FORMATS, type UsageFormat } from '@image-gateway/shared/contract';
import { parseDollars } from '@image-gateway/shared/money';
import { type Infer, type JsonSchema, list, nothing, paged } from '@image-gateway/shared/schema';
import {
  overviewView,
  usageRecord,
  usageSpanQuery,
  usageSummaryEntry,
  usageView,
  usedModel,
} from '@image-gateway/shared/usage/schema';
import { askForCredit } from '../account/credit-requests.js';
import { findOverview } from '../account/find-overview.js';
import type { DashboardDeps } from '../dashboard-deps.js';
import { type ApiRoute, defineApiRoute, defineRoute, owners } from '../http/define-route.js';
import { fileReply } from '../http/file-reply.js';
import { type Examples, examples } from '../http/openapi/examples.js';
import { slowReads } from '../http/openapi/parameters.js';
import { formatDay, readAmount } from '../http/session/form-fields.js';
import { limitChanges } from '../http/session/limit-changes.js';
import { findUsage, toRowFilter, type UsageSelection } from './find-usage.js';
import { parseGroups } from './group-usage.js';
import { listUsedModels } from './list-used-models.js';
import { type ListUsageDeps, listUsageHandler, summarizeUsage } from './usage-handlers.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Routes of an account at a glance, and of its owner's way to money. */
export const overviewRoutes = ({ db, limiter, reads, fileUrl, offers }: DashboardDeps) => [
  defineRoute({
    ...owners,
    method: 'post',
    path: '/credit-requests',
    summary: 'Ask the operators for credit',
    response: nothing,

    admit: limitChanges(limiter, 'access'),
    body: creditRequestBody,
    run: ({ accountId, user, input: { amount, note } }) =>
      askForCredit(db, {
        accountId,
        email: user.email,
        amountMicros: amount.trim() === '' ? null : readAmount(amount, parseDollars),
        note: note.trim() === '' ? null : note.trim(),
      }),
  }),
  defineRoute({
    ...owners,
    method: 'get',
    path: '/overview',
    summary: 'Read the account at a glance',
    response: overviewView,

    run: ({ accountId }) => findOverview({ db: reads.ofAccount(accountId), fileUrl, offers }, accountId),
  }),
];

/** Routes of what an account used, by day and group, and as files. */
export const usageRoutes = (deps: DashboardDeps) => [
  defineRoute({
    ...owners,
    method: 'get',
    path: '/usage',
    summary: 'Sum up the usage',
    response: usageView,

    query: usageSpanQuery,
    run: ({ accountId, input }) => findUsage(deps.reads.ofAccount(accountId), accountId, toSelection(input)),
  }),
  defineRoute({
    ...owners,
    method: 'get',
    path: '/used-models',
    summary: 'List the models to filter by',
    response: list(usedModel),
    run: ({ accountId }) => listUsedModels(deps.reads.ofAccount(accountId), deps.offers, accountId),
  }),
  ...USAGE_FORMATS.map((format) => usageFile(deps, format)),
];

/** The files of `GET /v1/usage` for a span of days, and the API key of each record. Costs add up to what left the balance. */
const usageFile = <const F extends UsageFormat>({ exportUsage }: DashboardDeps, format: F) =>
  defineRoute({
    ...owners,
    method: 'get',
    path: `/usage.${format}`,
    summary: 'Fetch the usage as a file',
    query: usageSpanQuery,
    send: async ({ accountId, input }) => {
      const span = toSelection(input);
      const file = await exportUsage({
        accountId,
        filter: toRowFilter(span),
        format,
        withKeys: true,
      });
      return fileReply(file, `usage-${span.from}-to-${span.to}.${format}`);
    },
  });

/** Returns the usage that a query asks for: the last thirty days unless it says otherwise, both ends included (UTC). */
function toSelection({
  from,
  to,
  model,
  api_key_id: apiKeyId,
  metadata,
  group_by,
}: Infer<typeof usageSpanQuery>): UsageSelection {
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

/** Routes of `/v1` about usage, as a page, a file or sums. */
export function usageApiRoutes(deps: ListUsageDeps & { readonly fileUrl: string }): readonly ApiRoute[] {
  const { usage, summary } = examples(deps.fileUrl);
  return [
    defineApiRoute({
      door: 'v1',
      method: 'get',
      path: '/v1/usage',
      access: 'key',
      roles: ['read'],
      id: 'listUsage',
      summary: 'List usage records, newest first',
      description:
        `${slowReads('from and to')} With \`format\` the answer is a file without pages: all records and refunds, newest first, ` +
        'read from the ledger, so that its costs add up to what was taken from the balance. It is sent as it is read. A ' +
        `connection that ends early means an incomplete file. An account exports one file at a time, further ones are \`429\`.`,
      query: 'usage',
      response: paged(usageRecord),
      answer: {
        description: 'A page of usage records, or the file.',
        examples: { usage },
        content: describeFiles(usage),
      },
      run: listUsageHandler(deps),
    }),
    defineApiRoute({
      door: 'v1',
      method: 'get',
      path: '/v1/usage/summary',
      access: 'key',
      roles: ['read'],
      id: 'summarizeUsage',
      summary: 'Sum up usage by hour, day, key, model, quality or metadata',
      description:
        `${slowReads('from and to')} By hour it sums up at most 7 days, and there are at most 10,000 groups. Metadata is read ` +
        'from single records: for long spans of much usage choose from and to.',
      query: 'usageSummary',
      response: list(usageSummaryEntry),
      answer: { description: 'One entry for each group with usage.', examples: { summary } },
      run: summarizeUsage(deps),
    }),
  ];
}

function describeFiles({ items: [record] }: Examples['usage']): JsonSchema {
  const csv = `${Object.keys(record ?? {}).join(',')},metadata,quality\r\n${Object.values(record ?? {}).join(',')},,\r\n`;
  const describeFile = (value: string): JsonSchema => ({
    schema: { type: 'string' },
    examples: { usage: { value } },
  });
  return {
    'text/csv': describeFile(csv),
    'application/x-ndjson': describeFile(`${JSON.stringify(record)}\n`),
  };
}
