/** One limit that a request counts against. */
export interface LimitCheck {
  /** `key`, `ip` or `auth`. */
  readonly policy: string;
  /** Whose requests are counted. */
  readonly subject: string;
  readonly limit: number;
  readonly windowSeconds: number;
}

/** How a policy stands after a decision. */
export interface PolicyState {
  readonly policy: string;
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  /** Until the full quota is there again. */
  readonly resetMs: number;
}

/** What became of a request's checks: counted in all of them, or in none. */
export interface LimitDecision {
  readonly allowed: boolean;
  readonly retryAfterMs: number;
  readonly policies: readonly PolicyState[];
}

/** Counts a request against limits in one round trip; never throws. */
export type ConsumeLimits = (checks: readonly LimitCheck[]) => Promise<LimitDecision>;
