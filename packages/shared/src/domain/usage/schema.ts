import { type Metadata, QUALITIES, TASK_TYPES } from '../contract/index.js';
import {
  boolean,
  choice,
  count,
  dayField,
  describe,
  type Infer,
  integer,
  list,
  metadata,
  named,
  nullable,
  object,
  optional,
  required,
  type Shape,
  shape,
  signedDollars,
  text,
  time,
  withDefault,
  withMessage,
} from '../schema/index.js';
import { taskItem } from '../task/schema.js';
import { METADATA_RULE, metadataSchema, usageGroupSchema } from '../validation/index.js';

/** Quality as the row has it. */
const quality: Shape<string, string, 'required'> = choice(QUALITIES);

/** One usage record, or one refund, as `GET /v1/usage` lists it. */
export const usageRecord = named(
  'UsageRecord',
  object({
    id: text(),
    task_id: text(),
    model: text(),
    type: choice([...TASK_TYPES, 'refund']),
    units: describe(count, 'Output images; 0 for a refund.'),
    cost: describe(signedDollars, 'Dollars; negative for a refund.'),
    created_at: time,
    quality: optional(describe(quality, 'Only where the price depends on it.')),
    metadata: optional(describe(metadata, 'Of the task, until it is erased.')),
  }),
);
export type UsageRecordItem = Infer<typeof usageRecord>;

/** The usage of one group in `GET /v1/usage/summary`, with the fields by which it is grouped. */
export const usageSummaryEntry = named(
  'UsageSummaryEntry',
  object({
    hour: optional(describe(time, 'Begin of the hour. Only when grouped by hour.')),
    day: optional(text({ format: 'date', description: 'Day in UTC. Only when grouped by day.' })),
    api_key_id: optional(text({ description: 'Only when grouped by key.' })),
    model: optional(text({ description: 'Only when grouped by model.' })),
    quality: optional(describe(quality, 'Only when grouped by quality; absent for usage at plain prices.')),
    metadata: optional(
      describe(metadata, 'Only when grouped by a key of metadata; absent for usage without it.'),
    ),
    total_units: describe(count, 'Output images.'),
    total_cost: describe(signedDollars, 'Dollars, less refunds when these are included.'),
    request_count: count,
  }),
);
export type UsageSummaryEntry = Infer<typeof usageSummaryEntry>;

/** Usage of one day. */
export const spendDay = object({
  /** UTC, such as `2026-01-31`. */
  day: text(),
  cost: text(),
  units: integer(),
});
export type SpendDay = Infer<typeof spendDay>;

/** First page of an owner. */
export const overviewView = object({
  balance: text(),
  held: text(),
  available: text(),
  /** Prices of the cheapest and of the dearest image on offer; null where there is none. */
  image_prices: nullable(object({ cheapest: text(), dearest: text() })),
  open_tasks: integer(),
  active_keys: integer(),
  /** The last thirty days, oldest first, including days without usage. */
  days: list(spendDay),
  spent: text(),
  /** Tasks that completed in the last thirty days. */
  completed: integer(),
  failed: integer(),
  last_tasks: list(taskItem),
});
export type OverviewView = Infer<typeof overviewView>;

/** Model by which an owner can filter. */
export const usedModel = object({
  id: text(),
  family: nullable(text()),
  /** False for one that the account used before. */
  is_offered: boolean(),
});
export type UsedModel = Infer<typeof usedModel>;

/** Usage of one model on one day. */
export const usageDay = object({
  /** UTC, such as `2026-01-31`. */
  day: text(),
  model: text(),
  units: integer(),
  requests: integer(),
  cost: text(),
});
export type UsageDay = Infer<typeof usageDay>;

/** Usage of a period, by day and model, and by the groups of the query. */
export const usageView = object({
  from: text(),
  /** Inclusive. */
  to: text(),
  days: list(usageDay),
  groups: list(usageSummaryEntry),
  units: integer(),
  requests: integer(),
  charged: text(),
  refunded: text(),
  /** Charged less refunded. */
  net: text(),
});
export type UsageView = Infer<typeof usageView>;

/** Query of the usage page and of its files; days are UTC and inclusive. */
export const usageSpanQuery = object({
  from: optional(dayField),
  to: optional(dayField),
  model: optional(withMessage(required(100, ''), 'model must be the id of a model.')),
  api_key_id: optional(
    withMessage(
      text({ pattern: '^key_[0-9A-Za-z]{1,64}$' }),
      'api_key_id must be the id of an API key (key_…).',
    ),
  ),
  metadata: optional(withMessage(shape<Metadata>(metadataSchema()), `metadata must be ${METADATA_RULE}.`)),
  /** Comma-separated, of hour (for at most seven days), day, key, model, quality and one `metadata:KEY`. */
  group_by: withDefault(shape<string>(usageGroupSchema()), 'day,model'),
});
