/** The usage of one model on one day (UTC). */
export interface UsageDay {
  readonly day: string;
  readonly model: string;
  readonly units: number;
  readonly requests: number;
  /** Dollar string. */
  readonly cost: string;
}

/** `GET /dashboard/api/usage`: days of a span, oldest first, and what they come to. Money in dollar strings. */
export interface UsageView {
  readonly from: string;
  /** Inclusive. */
  readonly to: string;
  readonly days: readonly UsageDay[];
  readonly units: number;
  readonly requests: number;
  readonly charged: string;
  readonly refunded: string;
}
