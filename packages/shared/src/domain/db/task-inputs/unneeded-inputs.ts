import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import { BY_ACCOUNT, BY_TIME } from '../tasks/open-tasks.js';

/** Writes the condition that a pending task of a phase names the upload `i`. */
function isNamed(phase: 'queued' | 'running', indexed: string): string {
  return `EXISTS (SELECT FROM tasks WHERE account_id = i.account_id AND status = 'pending' AND phase = '${phase}' AND ${indexed}
                     AND image_urls @> ARRAY['input:' || i.id])`;
}

/**
 * Looks at uploads that are due. That of a task is needed until 24 hours after its end, one without a task, or of an erased
 * one, no longer. A file is needed until it expires, and while a pending task names it. Those that are not needed are due again
 * in a minute, should their removal fail.
 */
const TAKE_UNNEEDED_INPUTS: Statement = {
  name: 'take-unneeded-inputs',
  text: `
WITH due AS (
  SELECT i.id, CASE WHEN i.expires_at > now() THEN i.expires_at
                    WHEN i.expires_at IS NOT NULL AND (${isNamed('queued', BY_ACCOUNT)} OR ${isNamed('running', BY_TIME)})
                    THEN now() + interval '1 minute'
                    WHEN t.id IS NULL OR i.expires_at IS NOT NULL OR t.erased_at IS NOT NULL THEN '-infinity'
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
