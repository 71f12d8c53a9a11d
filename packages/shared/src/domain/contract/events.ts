/**
 * Form of a field. Rows have micro-dollars for `money`, a moment as PostgreSQL writes it in JSON for `time`, and text or the
 * use of a ceiling for `reason`. A field that ends with `?` may be absent.
 */
type Form = 'text' | 'number' | 'money' | 'time' | 'list' | 'reason';

/** A type of events; its key in the table is its name. */
interface EventEntry {
  /** Fields of `data`, in the order in which they are written. */
  readonly data: Readonly<Record<string, Form | `${Form}?`>>;
  /** Subject of its mail. */
  readonly subject: string;
  /** When owners, and when operators are told; only they can have such events. */
  readonly owners?: string;
  readonly operators?: string;
}

const TABLE = {
  'account.balance_low': {
    data: { account_id: 'text', balance: 'money', threshold: 'money' },
    subject: 'The balance is low',
    owners: 'the balance falls below a threshold',
    operators: 'the balance of an account falls below a threshold',
  },
  'account.credit_requested': {
    data: { account_id: 'text', email: 'text', amount: 'money?', note: 'text?' },
    subject: 'An account asks for credit',
    operators: 'an owner asks for credit',
  },
  'account.moderated': {
    data: { account_id: 'text', refused: 'number', since: 'time' },
    subject: 'Prompts of an account are refused by moderation',
    operators: 'moderation refuses an account again and again',
  },
  /** Sent on demand, to an endpoint of any types. */
  'endpoint.test': { data: { endpoint_id: 'text' }, subject: 'A test of an endpoint' },
  'files.unpaid_full': {
    data: { percent: 'number', limit: 'number', used: 'number' },
    subject: 'Accounts without a payment fill their share of the storage',
    operators: 'accounts without a payment fill their share of the storage',
  },
  'key.cap_reached': {
    data: { key_id: 'text', cap: 'text', value: 'text?', percent: 'number', limit: 'money', used: 'money' },
    subject: 'A cap of a key is nearly used or reached',
    owners: '80 or 100 % of a cap of a key are used',
  },
  'ledger.check_failed': {
    data: { invariants: 'list' },
    subject: 'The ledger has broken invariants',
    operators: 'a check of the ledger finds a broken invariant',
  },
  'provider.needs_operator': {
    data: { provider: 'text', model: 'text?', reason: 'reason', since: 'time' },
    subject: 'A provider needs an operator',
    operators: 'a provider or a model needs an operator',
  },
  'signup.credit_exhausted': {
    data: { limit: 'money' },
    subject: 'The credit for sign-ups is used up for today',
    operators: 'the credit for sign-ups is used up',
  },
  'webhook.failing': {
    data: { endpoint_id: 'text', url: 'text', since: 'time', last_status: 'number?' },
    subject: 'An endpoint fails',
    owners: 'another endpoint fails',
    operators: 'another endpoint of operators fails',
  },
} as const satisfies Readonly<Record<string, EventEntry>>;

/** Type of the events of endpoints. */
export type EventType = keyof typeof TABLE;

/** A value for each field of an event. */
export type EventFields<T extends EventType, Value> = Readonly<
  Record<keyof (typeof TABLE)[T]['data'], Value>
>;

/** Every type of the events of endpoints. Statements, bodies, mails, forms, command line and documents follow from this table. */
export const EVENTS: Readonly<Record<EventType, EventEntry>> = TABLE;

const listTypes = (readers: 'owners' | 'operators') =>
  (Object.keys(EVENTS) as EventType[]).filter((type) => EVENTS[type][readers] !== undefined);
/** Types of events that an account's endpoints can have. */
export const ACCOUNT_EVENTS = listTypes('owners');
/** Types of events that operators' endpoints can have; `account.balance_low` is for any account. */
export const OPERATOR_EVENTS = listTypes('operators');
/** Endpoints of an account, and of operators, at most. */
export const MAX_ENDPOINTS = 10;
/** Refusals of an account by moderation in a UTC day above which operators are told. */
export const MAX_REFUSALS = 20;
