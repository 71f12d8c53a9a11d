/** Spans of the status page: hours of a day or of a week, days of a month. */
export const STATUS_SPANS = ['day', 'week', 'month'] as const;
export type StatusSpan = (typeof STATUS_SPANS)[number];

/** Figures of an hour or a day; tasks count by their end. Times are estimates in milliseconds, null without tasks. */
export interface StatusFigures {
  readonly completed: number;
  readonly failed: number;
  readonly images: number;
  /** From submit to start, of all tasks that ended. */
  readonly wait_p50_ms: number | null;
  readonly wait_p95_ms: number | null;
  /** From submit to end, of completed tasks. */
  readonly total_p50_ms: number | null;
  readonly total_p95_ms: number | null;
  readonly charged: string;
  readonly refunded: string;
  /** Upstream cost of the calls that began then. */
  readonly cost: string;
}

/** Hour or day of the status page; it begins `at`. */
export interface StatusPoint extends StatusFigures {
  readonly at: string;
}

/** Calls of one provider, by the same hours or days; refusals and rate limits count for neither. */
export interface StatusProvider {
  readonly provider: string;
  readonly delivered: readonly number[];
  readonly failed: readonly number[];
}

/** Status of the gateway over a span, in UTC; the last hour or day is still running. */
export interface StatusView {
  readonly span: StatusSpan;
  readonly unit: 'hour' | 'day';
  readonly points: readonly StatusPoint[];
  readonly providers: readonly StatusProvider[];
  readonly whole: StatusFigures & { readonly margin: string };
}
