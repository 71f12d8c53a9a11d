/** Terms of erasing expired tasks. */
export interface ErasureTerms {
  /** Days of RETENTION_DAYS; null: accounts without a retention of their own keep their tasks. */
  readonly days: number | null;
  readonly signal: AbortSignal;
}

/**
 * Writes the time until which the finished task `t` of the account `a` is kept; NULL: for ever. `setting` is the parameter with the days
 * of RETENTION_DAYS or NULL.
 */
export function keptUntil(setting: string): string {
  return `(t.completed_at + interval '1 day' * COALESCE(a.retention_days, ${setting}::float8))`;
}

/** Writes the time before which tasks of the account `a` were created that may be due; NULL: none. */
export function dueBefore(setting: string): string {
  return `(now() - interval '1 day' * COALESCE(a.retention_days, ${setting}::float8))`;
}

/** Condition on tasks `t` that the mark `m`, which may be missing, has not passed. */
export const AFTER_MARK = `(t.created_at, t.id) > (COALESCE(m.created_at, '-infinity'), COALESCE(m.task_id, ''))`;
