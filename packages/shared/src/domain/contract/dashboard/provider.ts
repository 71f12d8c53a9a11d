/** Calls of one provider. */
export interface ProviderItem {
  readonly provider: string;
  readonly calls: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly refused: number;
  readonly rate_limited: number;
  readonly unknown: number;
  readonly open: number;
  /** Estimates in milliseconds; null without a successful call. */
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly cost: string;
  readonly last_call_at: string | null;
}

/** Daily ceiling and pause of a provider. */
export interface ProviderLimitItem {
  /** `*` stands for all providers. */
  readonly provider: string;
  /** Dollars that its calls of a UTC day may cost; null without a ceiling. */
  readonly cost_day: string | null;
  readonly spent_today: string;
  readonly paused: boolean;
  /** Null without a pause, and for one until it is resumed. */
  readonly paused_until: string | null;
}

/** Account whose calls the moderation of a provider refuses. */
export interface ModeratedItem {
  readonly account_id: string;
  readonly email: string;
  readonly provider: string;
  readonly refused: number;
  /** First and last of these refusals. */
  readonly since: string;
  readonly last_at: string;
}

/** Work that a provider or a model has for operators. */
export interface ProviderNeedItem {
  /** `*` stands for all providers. */
  readonly provider: string;
  readonly model: string | null;
  /** Observation and instruction. */
  readonly reason: string;
  /** Null where no moment is known. */
  readonly since: string | null;
}

/** Providers and accounts that need an operator now. */
export interface NeedsView {
  readonly providers: readonly ProviderNeedItem[];
  /** Accounts with more than 20 refusals on this UTC day. */
  readonly moderated: readonly ModeratedItem[];
  /** Found by a check of the ledger, and not found fixed by a later one. */
  readonly broken_invariants: readonly string[];
  /** Endpoints of operators that fail or are switched off. */
  readonly failing_endpoints: number;
  /** Active accounts below the highest threshold of operators' endpoints; null without such an account. */
  readonly low_balances: { readonly accounts: number; readonly threshold: string } | null;
}

/** Candidate as one worker sees it. */
export interface CandidateItem {
  readonly provider: string;
  readonly model: string;
  /** State of the circuit breaker. */
  readonly circuit: string;
  /** Accounts that it is closed to because their own calls failed. */
  readonly accounts_paused: number;
  /** Rest of the pause for which its provider asked; 0 without one. */
  readonly paused_seconds: number;
  readonly paused_until: string | null;
  /** Answer of the provider; null without a pause. */
  readonly paused_because: string | null;
  /** True when the provider refused it or one of its keys; it is tried last. */
  readonly set_aside: boolean;
  /** True if the worker makes no calls, or fewer, for what calls have met; resuming the provider ends it. */
  readonly held_back: boolean;
  readonly running: number;
}

/** Worker process. */
export interface WorkerItem {
  readonly id: string;
  readonly service: string;
  readonly host: string;
  readonly pid: number;
  readonly started_at: string;
  readonly seen_at: string;
  readonly alive: boolean;
  readonly candidates: readonly CandidateItem[];
}

/** Providers and workers over a number of hours. */
export interface ProvidersView {
  readonly hours: number;
  /** Full hour that the figures begin with. */
  readonly since: string;
  readonly providers: readonly ProviderItem[];
  readonly cost: string;
  /** May be negative. */
  readonly revenue: string;
  /** May be negative. */
  readonly margin: string;
  readonly limits: readonly ProviderLimitItem[];
  readonly moderated: readonly ModeratedItem[];
  readonly workers: readonly WorkerItem[];
}

/** Provider as the page "Models" shows it, without secrets. */
export interface ManagedProvider extends Omit<ProviderLimitItem, 'provider'> {
  readonly name: string;
  readonly protocol: string;
  /** True for an instance of the catalog. */
  readonly is_instance: boolean;
  /** Host and port; null for the sandbox. */
  readonly address: string | null;
  /** Environment variable with its keys; null for a provider that takes none. */
  readonly key_variable: string | null;
  /** Where the generation workers have its keys from; null where none has one. */
  readonly key_source: 'environment' | 'database' | null;
  /** Keys in the database, whether they are used or not. */
  readonly stored: {
    readonly last_four: string;
    readonly since: string;
    readonly by: string;
    readonly tested: boolean;
    /** Address that they were set for. */
    readonly address: string;
  } | null;
  /** Keys that were replaced or removed, and are kept for the jobs that they submitted. */
  readonly ending: readonly {
    readonly last_four: string;
    readonly since: string;
    /** Running jobs that have it; null where no ENCRYPTION_KEY here decrypts it. */
    readonly jobs: number | null;
  }[];
  /** Cheapest trial image; null where no route of it draws. */
  readonly trial: { readonly model: string; readonly upstream_model: string; readonly cost: string } | null;
  /** Live generation workers that do not call it. */
  readonly unused_by: readonly string[];
  /** Newest trial. */
  readonly check: ProviderCheckView | null;
}

/** Providers as the page "Models" shows them. */
export interface ManagedProvidersView {
  /** False without ENCRYPTION_KEY: keys come from the environment only. */
  readonly can_store: boolean;
  /** False while no generation worker lives that could try a key. */
  readonly can_try: boolean;
  readonly providers: readonly ManagedProvider[];
}

/** Outcome of a trial of a provider. */
export interface ProviderCheckResult {
  /** One for each key; one without a fingerprint where the provider needs none. */
  readonly keys: readonly {
    readonly fingerprint: string | null;
    /** A key that is `unclear` may be good: it may not list, or the provider did not answer. */
    readonly result: 'accepted' | 'refused' | 'unclear';
    readonly status: number | null;
    readonly reason: string | null;
  }[];
  /** Models that the provider lists; null where there is no whole list of them. */
  readonly models: readonly string[] | null;
  /** Models whose end this list states, with the day; null where there is no list that could. */
  readonly ends: readonly { readonly model: string; readonly on: string }[] | null;
  /** Models of its routes that this list lacks. */
  readonly missing: readonly string[];
  /** Trial image; null where none was asked for. */
  readonly image: {
    readonly model: string;
    readonly upstream_model: string;
    /** Why there is none; null for a drawn image. */
    readonly reason: string | null;
    readonly width: number | null;
    readonly height: number | null;
    readonly content_type: string | null;
    readonly bytes: number | null;
    readonly ms: number;
    readonly cost: string;
  } | null;
  /** Why nothing was tried; null where something was. */
  readonly note: string | null;
}

/** Trial of a provider. */
export interface ProviderCheckView {
  readonly id: string;
  readonly provider: string;
  readonly state: 'pending' | 'running' | 'done';
  readonly draws: boolean;
  readonly by: string;
  readonly created_at: string;
  /** Null before its end. */
  readonly result: ProviderCheckResult | null;
}
