import type { TaskType } from '@image-gateway/shared/contract';
import {
  type AccountReads,
  type OutputRow,
  type Statement,
  type Task,
  unplanned,
} from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import type { GalleryPage } from '@image-gateway/shared/task/schema';
import { formatCursor, type ListCursor } from '@image-gateway/shared/validation';

/** Which images to list; null: all. */
export interface ImageFilter {
  readonly model: string | null;
  readonly type: TaskType | null;
  readonly from: Date | null;
  /** Images of tasks after this place, in the order from the newest to the oldest. */
  readonly after: ListCursor;
}

// A part looks at a bounded number of tasks, so that a filter that few tasks pass makes it short, not slow.
const LIST_OWN_IMAGES: Statement = {
  name: 'dashboard-list-own-images',
  text: `
WITH scanned AS MATERIALIZED (
  SELECT t.id, t.created_at, t.status, t.model, t.type, t.erased_at FROM tasks t
   WHERE t.account_id = $1 AND t.created_at >= COALESCE($2::timestamptz, '-infinity') AND (t.created_at, t.id) < ($3::timestamptz, $4::text)
   ORDER BY t.created_at DESC, t.id DESC LIMIT ${unplanned('$5::int')}),
wanted AS MATERIALIZED (
  SELECT id FROM scanned
   WHERE status = 'completed' AND erased_at IS NULL AND ($6::text IS NULL OR model = $6) AND ($7::text IS NULL OR type = $7)
   ORDER BY created_at DESC, id DESC LIMIT $8::int)
SELECT s.*, i.*
  FROM (SELECT count(*)::int AS scanned, (SELECT count(*)::int FROM wanted) AS wanted,
               (SELECT created_at FROM scanned ORDER BY created_at, id LIMIT 1) AS "lastTime",
               (SELECT id FROM scanned ORDER BY created_at, id LIMIT 1) AS "lastId" FROM scanned) s
  LEFT JOIN (
    SELECT t.id AS "taskId", t.created_at AS "createdAt", t.model, t.type, t.prompt, t.unit_micros AS "unitMicros", o.index, o.key,
           o.width, o.height, o.bytes
      FROM wanted w JOIN tasks t ON t.id = w.id JOIN task_outputs o ON o.task_id = t.id) i ON true
 ORDER BY i."createdAt" DESC, i."taskId" DESC, i.index`,
};
const MAX_SCANNED = 1_000;
const TASKS_OF_A_PART = 24;

interface Scan {
  readonly scanned: number;
  readonly wanted: number;
  /** Oldest task that was looked at; null when there was none. */
  readonly lastTime: Date | null;
  readonly lastId: string | null;
}

type ImageRow = Scan &
  Readonly<Pick<Task, 'createdAt' | 'model' | 'prompt' | 'unitMicros'>> &
  Pick<OutputRow, 'index' | 'key' | 'width' | 'height' | 'bytes'> & {
    readonly taskId: string;
    readonly type: TaskType;
  };
type Row = ImageRow | (Scan & { readonly taskId: null });

/** Lists images of completed tasks of an account, newest task first, with the place where the next part begins. */
export async function listOwnImages(
  { db, fileUrl }: { readonly db: AccountReads; readonly fileUrl: string },
  accountId: string,
  { model, type, from, after }: ImageFilter,
): Promise<GalleryPage> {
  const values = [accountId, from, after.time, after.id, MAX_SCANNED, model, type, TASKS_OF_A_PART];
  const rows = await db.run<Row>(LIST_OWN_IMAGES, values);
  const images = rows.filter(isImage);
  const next = findNext(rows[0], images.at(-1));
  return {
    items: images.map((row) => ({
      task_id: row.taskId,
      index: row.index,
      url: `${fileUrl}/${row.key}`,
      width: row.width,
      height: row.height,
      bytes: row.bytes,
      model: row.model,
      type: row.type,
      prompt: row.prompt,
      cost: formatDollars(row.unitMicros),
      created_at: row.createdAt.toISOString(),
    })),
    next: next && formatCursor(next),
  };
}

function findNext(scan: Scan | undefined, last: ImageRow | undefined): ListCursor | null {
  if (last && scan?.wanted === TASKS_OF_A_PART) {
    return { time: last.createdAt.toISOString(), id: last.taskId };
  }
  if (scan?.scanned === MAX_SCANNED && scan.lastTime && scan.lastId !== null) {
    return { time: scan.lastTime.toISOString(), id: scan.lastId };
  }
  return null;
}

function isImage(row: Row): row is ImageRow {
  return row.taskId !== null;
}
