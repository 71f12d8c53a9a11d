import Joi from 'joi';
import {
  boolean,
  choice,
  type Infer,
  integer,
  list,
  nullable,
  object,
  omit,
  optional,
  required,
  shape,
  text,
  withDefault,
  withMessage,
} from '../schema/index.js';
import { ownPassword } from '../user/schema.js';

/** Calls of one provider. */
export const providerItem = object({
  provider: text(),
  calls: integer(),
  succeeded: integer(),
  failed: integer(),
  refused: integer(),
  rate_limited: integer(),
  unknown: integer(),
  open: integer(),
  /** Estimates in milliseconds; null without a successful call. */
  p50_ms: nullable(integer()),
  p95_ms: nullable(integer()),
  cost: text(),
  last_call_at: nullable(text()),
});
export type ProviderItem = Infer<typeof providerItem>;

/** Daily ceiling and pause of a provider. */
export const providerLimitItem = object({
  /** `*` stands for all providers. */
  provider: text(),
  /** Dollars that its calls of a UTC day may cost; null without a ceiling. */
  cost_day: nullable(text()),
  spent_today: text(),
  paused: boolean(),
  /** Null without a pause, and for one until it is resumed. */
  paused_until: nullable(text()),
});
export type ProviderLimitItem = Infer<typeof providerLimitItem>;

/** Account whose calls the moderation of a provider refuses. */
export const moderatedItem = object({
  account_id: text(),
  email: text(),
  provider: text(),
  refused: integer(),
  /** First and last of these refusals. */
  since: text(),
  last_at: text(),
});
export type ModeratedItem = Infer<typeof moderatedItem>;

/** Work that a provider or a model has for operators. */
export const providerNeedItem = object({
  /** `*` stands for all providers. */
  provider: text(),
  model: nullable(text()),
  /** Observation and instruction. */
  reason: text(),
  /** Null where no moment is known. */
  since: nullable(text()),
});
export type ProviderNeedItem = Infer<typeof providerNeedItem>;

/** Providers and accounts that need an operator now. */
export const needsView = object({
  providers: list(providerNeedItem),
  /** Models of which many tasks failed at their providers, or in waiting for them, in the last quarter of an hour. */
  failing: list(object({ model: text(), failed: integer(), since: text() })),
  /** Routes whose circuit is open in a living worker. */
  open_circuits: list(object({ provider: text(), model: text() })),
  /** Accounts with more than 20 refusals on this UTC day. */
  moderated: list(moderatedItem),
  /** Found by a check of the ledger, and not found fixed by a later one. */
  broken_invariants: list(text()),
  /** Endpoints of operators that fail or are switched off. */
  failing_endpoints: integer(),
  /** Active accounts below the highest threshold of operators' endpoints; null without such an account. */
  low_balances: nullable(
    object({
      accounts: integer(),
      threshold: text(),
    }),
  ),
});
export type NeedsView = Infer<typeof needsView>;

/** Candidate as one worker sees it. */
export const candidateItem = object({
  provider: text(),
  model: text(),
  /** State of the circuit breaker, or `refused`. */
  circuit: text(),
  /** Why its provider refuses its calls; null where it does not. */
  refused_because: nullable(text()),
  /** Accounts that it is closed to because their own calls failed. */
  accounts_paused: integer(),
  /** Rest of the pause for which its provider asked; 0 without one. */
  paused_seconds: integer(),
  paused_until: nullable(text()),
  /** Answer of the provider; null without a pause. */
  paused_because: nullable(text()),
  /** True when the provider refused it or one of its keys; it is tried last. */
  set_aside: boolean(),
  /** True if the worker makes no calls, or fewer, for what calls have met; resuming the provider ends it. */
  held_back: boolean(),
  running: integer(),
});
export type CandidateItem = Infer<typeof candidateItem>;

/** Worker process. */
export const workerItem = object({
  id: text(),
  service: text(),
  host: text(),
  pid: integer(),
  started_at: text(),
  seen_at: text(),
  alive: boolean(),
  candidates: list(candidateItem),
});
export type WorkerItem = Infer<typeof workerItem>;

/** Providers and workers over a number of hours. */
export const providersView = object({
  hours: integer(),
  /** Full hour that the figures begin with. */
  since: text(),
  providers: list(providerItem),
  cost: text(),
  /** May be negative. */
  revenue: text(),
  /** Part of the revenue for images of the sandbox. */
  sandbox: text(),
  /** Without the sandbox; may be negative. */
  margin: text(),
  limits: list(providerLimitItem),
  moderated: list(moderatedItem),
  workers: list(workerItem),
});
export type ProvidersView = Infer<typeof providersView>;

/** Outcome of a trial of a provider. */
export const providerCheckResult = object({
  /** One for each key; one without a fingerprint where the provider needs none. */
  keys: list(
    object({
      fingerprint: nullable(text()),
      /** Last letters of the key; absent where they are not shown, and in trials of 0.3.0. */
      last_four: optional(text()),
      /** A key that is `unclear` may be good: it may not list, or the provider did not answer. */
      result: choice(['accepted', 'refused', 'unclear']),
      status: nullable(integer()),
      reason: nullable(text()),
    }),
  ),
  /** Models that the provider lists; null where there is no whole list of them. */
  models: nullable(list(text())),
  /** Models whose end this list states, with the day; null where there is no list that could. */
  ends: nullable(
    list(
      object({
        model: text(),
        on: text(),
      }),
    ),
  ),
  /** Models of its routes that this list lacks. */
  missing: list(text()),
  /** Trial image; null where none was asked for. */
  image: nullable(
    object({
      model: text(),
      upstream_model: text(),
      /** Why there is none; null for a drawn image. */
      reason: nullable(text()),
      width: nullable(integer()),
      height: nullable(integer()),
      content_type: nullable(text()),
      bytes: nullable(integer()),
      ms: integer(),
      cost: text(),
    }),
  ),
  /** Why nothing was tried; null where something was. */
  note: nullable(text()),
});
export type ProviderCheckResult = Infer<typeof providerCheckResult>;

/** Trial of a provider. */
export const providerCheckView = object({
  id: text(),
  provider: text(),
  state: choice(['pending', 'running', 'done']),
  draws: boolean(),
  by: text(),
  created_at: text(),
  /** Null before its end. */
  result: nullable(providerCheckResult),
});
export type ProviderCheckView = Infer<typeof providerCheckView>;

/** Provider as the pages show it, without secrets. */
export const managedProvider = object({
  ...omit(providerLimitItem.fields, 'provider'),
  name: text(),
  protocol: text(),
  /** True for an instance of the catalog. */
  is_instance: boolean(),
  /** Host and port; null for the sandbox. */
  address: nullable(text()),
  /** Environment variable with its keys; null for a provider that takes none. */
  key_variable: nullable(text()),
  /** Where the generation workers have its keys from; null where none has one. */
  key_source: nullable(choice(['environment', 'database'])),
  /** Keys in the database, whether they are used or not. */
  stored: nullable(
    object({
      last_four: text(),
      since: text(),
      by: text(),
      tested: boolean(),
      /** Address that they were set for. */
      address: text(),
    }),
  ),
  /** Keys that were replaced or removed, and are kept for the jobs that they submitted. */
  ending: list(
    object({
      last_four: text(),
      since: text(),
      /** Running jobs that have it; null where no ENCRYPTION_KEY here decrypts it. */
      jobs: nullable(integer()),
    }),
  ),
  /** Cheapest trial image; null where no route of it draws. */
  trial: nullable(
    object({
      model: text(),
      upstream_model: text(),
      cost: text(),
    }),
  ),
  /** Live generation workers that do not call it. */
  unused_by: list(text()),
  /** Newest trial. */
  check: nullable(providerCheckView),
});
export type ManagedProvider = Infer<typeof managedProvider>;

/** Providers as the pages show them. */
export const managedProvidersView = object({
  /** False without ENCRYPTION_KEY: keys come from the environment only. */
  can_store: boolean(),
  /** False while no generation worker lives that could try a key. */
  can_try: boolean(),
  providers: list(managedProvider),
});
export type ManagedProvidersView = Infer<typeof managedProvidersView>;

const MAX_KEY_LENGTH = 20_000;
const MAX_HOURS = 24 * 365;

/** Body that sets the keys of a provider. */
export const providerKeyBody = object({
  keys: required(MAX_KEY_LENGTH, 'Enter a key.'),
  password: ownPassword,
});

/** Body of a trial. A cost asks for an image, and is what the page said of it. */
export const checkBody = object({
  cost: optional(nullable(required(20, 'cost must be what the page says of the image.'))),
});

/** Body that sets a daily ceiling. */
export const ceilingBody = object({
  cost_day: nullable(required(20, 'cost_day must be an amount of dollars such as 50.00, or null.')),
});

/** Body that pauses a provider; null: until it is resumed. */
export const pauseBody = object({
  hours: withMessage(
    nullable(shape<number>(Joi.number().positive().max(MAX_HOURS))),
    `hours must be a number up to ${MAX_HOURS}, or null.`,
  ),
});

/** Query of the calls of providers. */
export const providersQuery = object({
  hours: withDefault(withMessage(choice([1, 24, 168]), 'hours must be 1, 24 or 168.'), 24),
});
