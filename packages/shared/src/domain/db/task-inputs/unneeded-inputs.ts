import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

/**
 * Looks at uploads that are due. That of a task is needed until 24 hours after its end, one without a task, or of an erased one, no longer. Those that
 * are not needed are due again in a minute, should their removal fail.
 */
const TAKE_UNNEEDED_INPUTS: Statement = {
  name: 'take-unneeded-inputs',
  text: `
WITH due AS (
  SELECT i.id, CASE WHEN t.id IS NULL OR t.erased_at IS NOT NULL THEN '-infinity'
                    WHEN t.completed_at IS NULL THEN now() + interval '1 hour'
                    ELSE t.completed_at + interval '24 hours' END AS needed_until
    FROM task_inputs i LEFT JOIN tasks t ON t.id = i.task_id
   WHERE i.remove_at <= now() ORDER BY i.remove_at LIMIT $1::int FOR UPDATE OF i SKIP LOCKED)
UPDATE task_inputs i SET remove_at = GREATEST(d.needed_until, now() + interval '1 minute')
  FROM due d WHERE i.id = d.id
RETURNING i.id, d.needed_until > now() AS "isNeeded"`,
};

const DELETE_TASK_INPUTS: Statement = {
  name: 'delete-task-inputs',
  text: 'DELETE FROM task_inputs WHERE id = ANY($1::text[])',
};

/** Uploads of one look. */
export interface UnneededInputs {
  /** Ids of those whose objects are to be removed. */
  readonly ids: readonly string[];
  /** Number of those that were looked at. */
  readonly seen: number;
}

/** Looks at up to `limit` uploads that are due, and returns those that nobody needs any more. */
export async function takeUnneededInputs(
  db: Pick<Database, 'run'>,
  { limit }: { readonly limit: number },
): Promise<UnneededInputs> {
  const rows = await db.run<{ readonly id: string; readonly isNeeded: boolean }>(TAKE_UNNEEDED_INPUTS, [
    limit,
  ]);
  return { ids: rows.filter(({ isNeeded }) => !isNeeded).map(({ id }) => id), seen: rows.length };
}

/** Deletes the rows of uploads whose objects are gone. */
export async function deleteTaskInputs(db: Pick<Database, 'run'>, ids: readonly string[]): Promise<void> {
  await db.run(DELETE_TASK_INPUTS, [ids]);
}
