import { AUDIT_AUTHORS, STATUS_SPANS } from '../contract/index.js';
import {
  anything,
  boolean,
  choice,
  cursorField,
  dayField,
  filterText,
  type Infer,
  integer,
  list,
  nullable,
  object,
  orEmpty,
  pageFields,
  record,
  text,
  withDefault,
  withMessage,
} from '../schema/index.js';

/** Figures of an hour or a day; tasks count by their end. Times are estimates in milliseconds, null without tasks. */
export const statusFigures = object({
  completed: integer(),
  failed: integer(),
  images: integer(),
  /** From submit to start, of all tasks that ended. */
  wait_p50_ms: nullable(integer()),
  wait_p95_ms: nullable(integer()),
  /** From submit to end, of completed tasks. */
  total_p50_ms: nullable(integer()),
  total_p95_ms: nullable(integer()),
  charged: text(),
  refunded: text(),
  /** Upstream cost of the calls that began then. */
  cost: text(),
});
export type StatusFigures = Infer<typeof statusFigures>;

/** Hour or day of the status page; it begins `at`. */
export const statusPoint = object({
  ...statusFigures.fields,
  at: text(),
});
export type StatusPoint = Infer<typeof statusPoint>;

/** Calls of one provider, by the same hours or days; refusals and rate limits count for neither. */
export const statusProvider = object({
  provider: text(),
  delivered: list(integer()),
  failed: list(integer()),
});
export type StatusProvider = Infer<typeof statusProvider>;

/** Status of the gateway over a span, in UTC; the last hour or day is still running. */
export const statusView = object({
  span: choice(STATUS_SPANS),
  unit: choice(['hour', 'day']),
  points: list(statusPoint),
  providers: list(statusProvider),
  /** The margin is without what was charged for images of the sandbox. */
  whole: object({ ...statusFigures.fields, sandbox: text(), margin: text() }),
});
export type StatusView = Infer<typeof statusView>;

/** First page of an operator. */
export const systemView = object({
  accounts: integer(),
  suspended: integer(),
  open_tasks: integer(),
  stuck_tasks: integer(),
  completed_today: integer(),
  failed_today: integer(),
  /** May be negative. */
  revenue_today: text(),
  balances: text(),
  held: text(),
  webhooks_failed_today: integer(),
  /** Accounts that signed up themselves when the credits of the day were used up. */
  signups_without_credit_today: integer(),
  /** Percent of UNPAID_FILES_BYTES that accounts without a payment store. */
  unpaid_files_percent: integer(),
});
export type SystemView = Infer<typeof systemView>;

/** Work of one queue, by the database, and its hints, by Redis. */
export const queueItem = object({
  name: choice(['generation', 'webhook']),
  due: integer(),
  later: integer(),
  running: integer(),
  /** Wait of the oldest due row in seconds; null when none is due. */
  oldest_seconds: nullable(integer()),
  /** Null when Redis is unreachable. */
  hints: nullable(integer()),
  /** Processes that consume the queue; null when Redis is unreachable. */
  consumers: nullable(integer()),
});
export type QueueItem = Infer<typeof queueItem>;

/** Hint in Redis. */
export const hintItem = object({
  queue: choice(['generation', 'webhook']),
  id: text(),
  state: text(),
  added_at: text(),
});
export type HintItem = Infer<typeof hintItem>;

/** Entry of the audit log. */
export const auditItem = object({
  id: text(),
  action: text(),
  subject: text(),
  actor: text(),
  /** Account whose owner made the change; null for operators and the command line. */
  account_id: nullable(text()),
  detail: record(anything),
  created_at: text(),
});
export type AuditItem = Infer<typeof auditItem>;

/** Hit of a search: a thing with its id, and what it belongs to. */
export const foundItem = object({
  /** Such as task, key or request. */
  kind: text(),
  id: text(),
  account_id: nullable(text()),
  /** Of the account. */
  email: nullable(text()),
  task_id: nullable(text()),
  /** Name or state of it. */
  note: nullable(text()),
});
export type FoundItem = Infer<typeof foundItem>;

/** Result of a search. */
export const foundView = object({
  items: list(foundItem),
  /** Number of the newest tasks whose request id was compared; null: there was no need, or all were. */
  looked: nullable(integer()),
});
export type FoundView = Infer<typeof foundView>;

/** Query of a search. */
export const searchQuery = object({
  q: withDefault(
    withMessage(
      text({ maxLength: 254 }, (s) => s.trim()),
      'q must be a text of at most 254 characters.',
    ),
    '',
  ),
});

/** Result of a check of the books. */
export const ledgerReport = object({
  checked: integer(),
  broken: list(
    object({
      name: text(),
      rows: list(record(text())),
    }),
  ),
  ms: integer(),
});
export type LedgerReport = Infer<typeof ledgerReport>;

/** Settings of the process of the API that answers. */
export const settingsView = object({
  settings: list(
    object({
      /** Environment variable. */
      name: text(),
      /** Heading of its part of `.env.example`. */
      section: text(),
      about: text(),
      /** Value in force, an address without its log-in and query; null for a secret, for none, and where the API does not read it. */
      value: nullable(text()),
      /** Null where it has none, or one that follows from other settings. */
      default: nullable(text()),
      /** Origin of the value in force; `elsewhere` where only other processes read it. */
      source: choice(['environment', 'file', 'default', 'elsewhere']),
      is_secret: boolean(),
    }),
  ),
});
export type SettingsView = Infer<typeof settingsView>;

/** Query of the status page. */
export const statusQuery = object({
  span: withDefault(withMessage(choice(STATUS_SPANS), `span must be ${STATUS_SPANS.join(', ')}.`), 'day'),
});

/** Query of the audit log; an empty filter filters nothing. */
export const auditQuery = object({
  per_page: pageFields.per_page,
  before: cursorField,
  /** Id of what was changed. */
  subject: filterText(254, 'subject must be an id.'),
  /** E-mail address of the author, or cli. */
  actor: filterText(254, 'actor must be an e-mail address, or cli.'),
  /** Such as key.rotate. */
  action: filterText(254, 'action must be the name of an action, such as key.rotate.'),
  /** UTC day such as 2026-01-31. */
  day: withDefault(orEmpty(dayField), ''),
  by: withDefault(
    withMessage(choice(AUDIT_AUTHORS), `by must be ${AUDIT_AUTHORS.join(' or ')}.`),
    'everybody',
  ),
});
