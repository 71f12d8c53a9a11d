import { FAILURE_CLASSES, type Metadata, parseInstant, TASK_STATUSES } from '../contract/index.js';
import {
  choice,
  convert,
  cursorField,
  filterText,
  type Infer,
  integer,
  list,
  nullable,
  object,
  optional,
  pageFields,
  shape,
  text,
  withMessage,
} from '../schema/index.js';
import { METADATA_RULE, metadataSchema } from '../validation/index.js';
import { publicTask } from './public-task.js';

/** Task in the log of operators. */
export const loggedTask = object({
  id: text(),
  account_id: text(),
  email: text(),
  api_key_id: text(),
  request_id: text(),
  model: text(),
  /** Of the last call; null without one. */
  provider: nullable(text()),
  status: publicTask.fields.status,
  phase: text(),
  /** Class of the reason why it failed. */
  failure: nullable(text()),
  error: nullable(text()),
  stored: integer(),
  asked: integer(),
  cost: text(),
  created_at: text(),
  ended_at: nullable(text()),
});
export type LoggedTask = Infer<typeof loggedTask>;

/** Part of the log of operators. */
export const taskLog = object({
  /** Time by which the log is ordered, and which its span bounds. */
  by: choice(['created', 'ended']),
  items: list(loggedTask),
  /** Value of `before` for the part that follows; null at the end. */
  next: nullable(text()),
  /** Number of tasks that the part looked at where that was the bound; else null. */
  looked: nullable(integer()),
});
export type TaskLog = Infer<typeof taskLog>;

/** Moment of a filter in UTC, such as `2026-01-31T12:00`, or a day for its midnight. */
const moment = withMessage(
  convert(
    text({ minLength: 1 }),
    (given) => parseInstant(given.length > 10 ? `${given}:00Z` : given) ?? undefined,
  ),
  '{{#label}} must be a time in UTC such as 2026-01-31T12:00.',
);

/** Query of the log of tasks; an empty filter filters nothing. */
export const taskLogQuery = object({
  per_page: pageFields.per_page,
  before: cursorField,
  account: filterText(100, 'account must be the id of an account.'),
  key: filterText(100, 'key must be the id of an API key.'),
  model: filterText(100, 'model must be the id of a model.'),
  provider: filterText(100, 'provider must be the name of a provider.'),
  status: optional(withMessage(choice(TASK_STATUSES), `status must be one of ${TASK_STATUSES.join(', ')}.`)),
  failure: optional(
    withMessage(choice(FAILURE_CLASSES), `failure must be one of ${FAILURE_CLASSES.join(', ')}.`),
  ),
  /** Request id, or the `Idempotency-Key` of a client. */
  request: filterText(255, 'request must be a request id or an Idempotency-Key.'),
  metadata: optional(withMessage(shape<Metadata>(metadataSchema()), `metadata must be ${METADATA_RULE}.`)),
  /** Included. */
  from: optional(moment),
  /** Not included. */
  to: optional(moment),
});
