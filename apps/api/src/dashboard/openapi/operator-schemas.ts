import type { JsonSchema } from '../../openapi/json-schema.js';
import { count, dollars, listSchema, nullable, object, ref, text, time } from '../../openapi/parts.js';

const yesOrNo = { type: 'boolean' };
const queue = { ...text, enum: ['generation', 'webhook'] };
const anyDollars = {
  ...dollars,
  pattern: '^-?\\$\\d+\\.\\d{2,6}$',
  description: 'Dollars, perhaps negative.',
};
const limit = {
  ...nullable({ type: 'integer', minimum: 1 }),
  description: 'null: what everybody may have.',
};

const account = {
  id: text,
  email: text,
  status: text,
  balance: dollars,
  held: dollars,
  available: dollars,
  open_tasks: count,
  tasks: count,
  usage_records: count,
  created_at: time,
};

/** What the pages of operators are told, but for whole tasks. */
export const operatorSchemas: Readonly<Record<string, JsonSchema>> = {
  SystemView: object({
    accounts: count,
    suspended: count,
    open_tasks: count,
    stuck_tasks: count,
    completed_today: count,
    failed_today: count,
    revenue_today: anyDollars,
    balances: dollars,
    held: dollars,
    webhooks_failed_today: count,
  }),
  AccountItem: object(account),
  TransferItem: object({
    id: text,
    kind: text,
    amount: { ...anyDollars, description: 'With a minus when it left the account.' },
    task_id: nullable(text),
    reference: nullable(text),
    reason: nullable(text),
    created_at: time,
  }),
  AccountDetail: object({
    ...account,
    max_open_tasks: limit,
    key_requests_per_minute: {
      ...limit,
      description: 'Requests of all keys together in `requests_seconds`.',
    },
    requests_seconds: count,
    max_failed_tasks: limit,
    failed_tasks_seconds: limit,
    users: listSchema(object({ id: text, email: text })),
    keys: object({ active: count, total: count }),
    transfers: listSchema(ref('TransferItem')),
  }),
  ProviderItem: object({
    provider: text,
    calls: count,
    succeeded: count,
    failed: count,
    refused: count,
    rate_limited: count,
    unknown: count,
    open: count,
    p50_ms: { ...nullable(count), description: 'Milliseconds; null without a call that has ended.' },
    p95_ms: nullable(count),
    cost: dollars,
    last_call_at: nullable(time),
  }),
  CandidateItem: object({
    provider: text,
    model: text,
    circuit: text,
    paused_seconds: { ...count, description: 'How long it rests after a rate limit; 0: it does not.' },
    set_aside: { ...yesOrNo, description: 'Asked last, since it or one of its keys was refused.' },
    running: count,
  }),
  WorkerItem: object({
    id: text,
    service: text,
    host: text,
    pid: count,
    started_at: time,
    seen_at: time,
    alive: yesOrNo,
    candidates: listSchema(ref('CandidateItem')),
  }),
  ProvidersView: object({
    hours: count,
    providers: listSchema(ref('ProviderItem')),
    cost: dollars,
    revenue: anyDollars,
    margin: anyDollars,
    workers: listSchema(ref('WorkerItem')),
  }),
  QueueItem: object({
    name: queue,
    due: count,
    later: count,
    running: count,
    oldest_seconds: {
      ...nullable(count),
      description: 'How long the oldest due one has waited; null when none is due.',
    },
    hints: { ...nullable(count), description: 'Hints in Redis; null when it does not answer.' },
    consumers: {
      ...nullable(count),
      description: 'Processes that take from the queue; null when Redis does not answer.',
    },
  }),
  HintItem: object({ queue, id: text, state: text, added_at: time }),
  OpenTaskItem: object({
    id: text,
    account_id: text,
    email: text,
    model: text,
    phase: text,
    tries: count,
    attempt: count,
    stored: count,
    asked: count,
    worker: nullable(text),
    held: dollars,
    created_at: time,
    due_at: time,
    lease_until: nullable(time),
    deadline_at: time,
    is_stuck: { ...yesOrNo, description: 'Overdue, out of its lease or near its deadline.' },
  }),
  AuditItem: object({
    id: text,
    action: text,
    subject: text,
    actor: text,
    detail: { type: 'object', additionalProperties: true },
    created_at: time,
  }),
  LedgerReport: object({
    checked: count,
    broken: listSchema(
      object({
        name: text,
        rows: listSchema({ type: 'object', additionalProperties: text }),
      }),
    ),
    ms: count,
  }),
};
