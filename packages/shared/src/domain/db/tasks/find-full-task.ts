import { selectField, VIEW_NAMES, type ViewProperty } from '../../task/index.js';
import type { Database } from '../create-database.js';
import type { OutputRow, ReportedFacts } from '../outputs/task-outputs.js';
import { keptUntil } from '../retention/retention-term.js';
import type { Statement } from '../statement.js';
import { SHOWN_COLUMNS, type ShownColumns, type TaskRow } from './task-row.js';

/** Task with what its owner asked for, its stored images and its refund. */
export type FullTaskRow = ShownColumns &
  Pick<TaskRow, 'numOutputs' | ViewProperty | 'mask' | 'wishes' | 'unused' | 'shapeRatios'> & {
    readonly images: readonly (Pick<
      OutputRow,
      'key' | 'width' | 'height' | 'bytes' | 'contentType' | 'sha256'
    > &
      ReportedFacts)[];
    readonly refundedMicros: bigint | null;
    /** When its retention erases it; null: it is kept, or pending. */
    readonly expiresAt: Date | null;
  };

const FIND_FULL_TASK: Statement = {
  name: 'find-full-task',
  text: `
SELECT ${SHOWN_COLUMNS}, t.num_outputs AS "numOutputs", ${VIEW_NAMES.map(selectField).join(', ')},
       t.mask, t.wishes, t.unused, t.shape_ratios AS "shapeRatios",
       COALESCE((SELECT json_agg(json_build_object('key', o.key, 'width', o.width, 'height', o.height, 'bytes', o.bytes,
                                                   'contentType', o.content_type, 'sha256', o.sha256, 'seed', o.seed,
                                                   'quality', o.quality, 'revisedPrompt', o.revised_prompt) ORDER BY o.index)
                   FROM task_outputs o WHERE o.task_id = t.id), '[]') AS images,
       (SELECT l.amount_micros FROM ledger_transfers l WHERE l.task_id = t.id AND l.kind = 'refund') AS "refundedMicros",
       ${keptUntil('$3')} AS "expiresAt"
  FROM tasks t JOIN accounts a ON a.id = t.account_id WHERE t.id = $1 AND t.account_id = $2 AND t.deleted_at IS NULL`,
};

/** Finds a task of one account with everything that its owner may read in one answer. */
export async function findFullTask(
  db: Pick<Database, 'run'>,
  {
    id,
    accountId,
    retentionDays,
  }: { readonly id: string; readonly accountId: string; readonly retentionDays?: number | undefined },
): Promise<FullTaskRow | null> {
  const [row] = await db.run<FullTaskRow>(FIND_FULL_TASK, [id, accountId, retentionDays ?? null]);
  return row ?? null;
}
