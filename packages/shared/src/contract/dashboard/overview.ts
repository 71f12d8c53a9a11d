import type { TaskItem } from './tasks.js';

/** What one day cost. */
export interface SpendDay {
  /** Such as `2026-01-31` (UTC). */
  readonly day: string;
  /** Dollar string. */
  readonly cost: string;
  readonly units: number;
}

/** `GET /dashboard/api/overview`: an account at a glance. Money in dollar strings. */
export interface OverviewView {
  readonly balance: string;
  readonly held: string;
  readonly available: string;
  readonly open_tasks: number;
  readonly active_keys: number;
  /** The last thirty days, oldest first, days without usage included. */
  readonly days: readonly SpendDay[];
  readonly spent: string;
  /** Tasks of the last thirty days that have ended. */
  readonly completed: number;
  readonly failed: number;
  readonly last_tasks: readonly TaskItem[];
}
