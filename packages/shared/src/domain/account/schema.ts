import {
  ACCOUNT_LIMITS,
  type AccountLimitName,
  KEY_LIMITS,
  KEY_SCOPES,
  listLimits,
  MAX_REASON_LENGTH,
  MOVEMENT_KINDS,
  NO_LIMIT,
  type RefusalDetails,
} from '../contract/index.js';
import { capsView, limitsBody, limitsView } from '../key/schema.js';
import {
  boolean,
  choice,
  count,
  cursorField,
  dayField,
  describe,
  dollars,
  type Infer,
  id,
  integer,
  list,
  type NamedShape,
  named,
  nullable,
  object,
  omit,
  optional,
  pageFields,
  pagination,
  reasonField,
  referenceField,
  required,
  type Shape,
  shape,
  signedDollars,
  text,
  time,
  withDefault,
  withMessage,
} from '../schema/index.js';
import { emailField } from '../user/schema.js';
import { boundedText } from '../validation/index.js';

/** Numbers of a refusal for money. */
export const refusalDetails: NamedShape<RefusalDetails, object> = named(
  'RefusalDetails',
  object({
    needed: describe(dollars, 'What the request costs, or at least costs.'),
    limit: optional(describe(dollars, 'The cap of the key that it would exceed.')),
    used: optional(describe(dollars, 'What is spent or held of that cap.')),
    available: optional(describe(dollars, 'What the account has left; for keys with the scope `read`.')),
    top_up_url: optional(text({ description: 'Page where the account is topped up.' })),
  }),
);

/** Account in the list of operators. */
export const accountItem = object({
  id: text(),
  email: text(),
  status: text(),
  /** Why it is suspended; its owner sees it. */
  suspension_reason: optional(text()),
  balance: text(),
  held: text(),
  available: text(),
  open_tasks: integer(),
  tasks: integer(),
  usage_records: integer(),
  created_at: text(),
});
export type AccountItem = Infer<typeof accountItem>;

/** Movement of money on an account, for operators. The captures of a UTC day are one, which stands last in its day. */
export const movementItem = object({
  id: text(),
  kind: choice(MOVEMENT_KINDS),
  /** Negative when it left the account. */
  amount: text(),
  /** Balance of the account after it. */
  balance: text(),
  /** Of a refund. */
  task_id: nullable(text()),
  /** Tasks of a day's captures. */
  tasks: nullable(integer()),
  reference: nullable(text()),
  reason: nullable(text()),
  created_at: text(),
});
export type MovementItem = Infer<typeof movementItem>;

/** Line of a statement, for the owner. The captures of a UTC day are one, which stands last in its day. */
export const statementItem = named(
  'StatementItem',
  object({
    id: text(),
    kind: describe(
      choice(MOVEMENT_KINDS),
      'Captures are what tasks cost: one line a UTC day, which stands last in its day.',
    ),
    amount: describe(signedDollars, 'Dollars; negative when it left the account.'),
    balance: describe(signedDollars, 'Of the account after this line.'),
    by: describe(choice(['you', 'operator', 'system']), 'Who acted.'),
    tasks: optional(describe(count, 'Completed tasks of a day of captures.')),
    task_id: optional(text({ description: 'Task whose cost a refund gave back.' })),
    reference: optional(text()),
    reason: optional(text({ description: 'Of an adjustment only where the operator shows it.' })),
    created_at: time,
  }),
);
export type StatementItem = Infer<typeof statementItem>;

/** Page of the statement of an account, with its money at that moment. */
export const statement = named(
  'Statement',
  object({
    balance: signedDollars,
    held: describe(dollars, 'What open tasks hold.'),
    available: describe(signedDollars, 'The balance less what is held.'),
    items: list(statementItem),
    pagination,
  }),
);
export type Statement = Infer<typeof statement>;

const limitSettings: Shape<LimitSettingsView, LimitSettingsView, 'required'> = shape(
  object(Object.fromEntries(listLimits(ACCOUNT_LIMITS).map(([name]) => [name, nullable(text())]))).joi,
);
type LimitSettingsView = Readonly<Record<AccountLimitName, string | null>>;

/** Account with its users and limits. */
export const accountDetail = object({
  ...accountItem.fields,
  limits: limitsView(ACCOUNT_LIMITS),
  /** Values of the settings that hold where it has no limit of its own, written as the limits are; null: no limit. */
  settings: limitSettings,
  users: list(
    object({
      id: text(),
      email: text(),
    }),
  ),
  keys: object({
    active: integer(),
    total: integer(),
  }),
});
export type AccountDetail = Infer<typeof accountDetail>;

/** Result of a booking by hand, for people to read. */
export const bookedView = object({
  amount: text(),
  /** Balance of the account afterwards. */
  balance: text(),
});
export type BookedView = Infer<typeof bookedView>;

/** Request of an owner for credit, which nothing was credited for yet. */
export const creditRequestItem = object({
  account_id: text(),
  email: text(),
  /** Null where no amount was named. */
  amount: nullable(text()),
  note: nullable(text()),
  created_at: text(),
});
export type CreditRequestItem = Infer<typeof creditRequestItem>;

/** Body that creates an account; with an opening balance it says why. */
export const createAccountBody = object({
  email: emailField,
  /** Dollars such as `5.00`; empty: none. */
  balance: withDefault(withMessage(text({ maxLength: 40 }), 'Enter dollars such as 5.00, or nothing.'), ''),
  reason: optional(reasonField),
  /** True for a user who owns it, with a password that is shown once. */
  log_in: boolean(),
});

/** Body that credits or adjusts an account; `reference` makes a repeat safe. */
export const moneyBody = (example: string) =>
  object({
    amount: required(40, `Enter an amount in dollars such as ${example}.`),
    reason: reasonField,
    reference: referenceField,
  });

/** Body that adjusts an account. */
export const adjustBody = object({
  ...moneyBody('-1.00').fields,
  /** True where the owner sees reason and reference. */
  shown: withDefault(boolean(), false),
});

/** Body that asks the operators for credit. */
export const creditRequestBody = object({
  /** Dollars such as `5.00`; empty or absent: any. */
  amount: withDefault(
    withMessage(text({ maxLength: 40 }), 'Enter an amount in dollars such as 5.00, or nothing.'),
    '',
  ),
  note: withDefault(
    withMessage(
      shape<string>(boundedText(MAX_REASON_LENGTH).allow('')),
      `A note has at most ${MAX_REASON_LENGTH} characters.`,
    ),
    '',
  ),
});

/** Query of the list of accounts. */
export const accountsQuery = object({
  per_page: pageFields.per_page,
  before: cursorField,
  q: withDefault(
    withMessage(
      text({ maxLength: 254 }, (s) => s.trim()),
      'q must be a short text.',
    ),
    '',
  ),
});

/** Query of the movements of money of an account; days are UTC and inclusive. */
export const movementsQuery = object({
  per_page: pageFields.per_page,
  before: cursorField,
  kind: optional(withMessage(choice(MOVEMENT_KINDS), `kind must be one of ${MOVEMENT_KINDS.join(', ')}.`)),
  from: optional(dayField),
  to: optional(dayField),
});

/** Query of the statement of an account; days are UTC and inclusive. */
export const statementQuery = object({ ...omit(movementsQuery.fields, 'before'), page: pageFields.page });

/** Query of requests for credit. */
export const creditRequestsQuery = object({
  account_id: optional(
    withMessage(
      text({ pattern: '^acc_[0-9A-Za-z]{1,64}$' }),
      'account_id must be the id of an account (acc_…).',
    ),
  ),
});

/** Body that changes the limits of an account. */
export const accountLimitsBody = limitsBody(ACCOUNT_LIMITS);

/** Limits that a key sees of itself where it has them, besides its caps. */
const ownLimits = Object.fromEntries(
  listLimits(KEY_LIMITS).flatMap(([name, { kind, description }]) =>
    description
      ? [[name, optional(describe(Array.isArray(NO_LIMIT[kind]) ? list(text()) : count, description))]]
      : [],
  ),
);

/** Account of a key, and the key. */
export const ownAccount = named(
  'Account',
  object({
    id: id('acc'),
    balance: optional(describe(dollars, 'Only with the scope `read`, as `held` and `available`.')),
    held: optional(describe(dollars, 'What open tasks hold.')),
    available: optional(describe(dollars, 'The balance less what is held.')),
    key: object({
      id: id('key'),
      name: text(),
      prefix: text(),
      scopes: list(choice(KEY_SCOPES)),
      ...ownLimits,
      caps: optional(
        describe(capsView, 'Caps of a day and a month in UTC, and in total. Only when limited.'),
      ),
    }),
  }),
);
