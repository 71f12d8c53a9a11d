import { createMicroBatch } from '../../../runtime/concurrency/index.js';
import type { Database } from '../create-database.js';
import { isConnectionError } from '../database-error.js';
import type { TaskOutput } from '../generated/client.js';
import { keptUntil } from '../retention/retention-term.js';
import type { Statement } from '../statement.js';

/** Image that is public by its URL; `sha256` of its bytes in hexadecimal. */
export type PublicImage = Readonly<Pick<TaskOutput, 'key' | 'contentType' | 'bytes' | 'sha256'>> & {
  /** Seconds until the retention of its account removes it; null: it is kept. */
  readonly secondsLeft: number | null;
};

/**
 * Finds an image of a completed task by its object key: null where there is none, undefined where there is no such task at all.
 * Throws AppError.
 */
export type FindPublicImage = (image: {
  readonly taskId: string;
  readonly key: string;
}) => Promise<PublicImage | null | undefined>;

type Row = { readonly taskId: string } & (PublicImage | { readonly key: null });

const FIND_PUBLIC_IMAGES: Statement = {
  name: 'find-public-images',
  text: `
SELECT t.id AS "taskId", o.key, o.content_type AS "contentType", o.bytes, o.sha256,
       extract(epoch FROM ${keptUntil('$2')} - now())::float8 AS "secondsLeft"
  FROM tasks t JOIN accounts a ON a.id = t.account_id
  LEFT JOIN task_outputs o ON o.task_id = t.id AND t.status = 'completed' AND t.erased_at IS NULL
   AND COALESCE(${keptUntil('$2')} > now(), true)
 WHERE t.id = ANY($1::text[])`,
};
const MAX_ITEMS = 100;
// UnknownClients may ask: one statement at a time is all that they ever take.
const CONCURRENCY = 1;

/**
 * Creates the lookup of public images. Those who ask while a statement is running share the next one. An image that is older than
 * its retention is not found, removed or not; `retentionDays` is the setting RETENTION_DAYS.
 */
export function createImageFinder(
  db: Pick<Database, 'run'>,
  { retentionDays }: { readonly retentionDays?: number | undefined },
): FindPublicImage {
  const batch = createMicroBatch<string, readonly Row[]>({
    run: async (ids) => {
      const rows = await db.run<Row>(FIND_PUBLIC_IMAGES, [[...new Set(ids)], retentionDays ?? null]);
      return ids.map((id) => rows.filter(({ taskId }) => taskId === id));
    },
    maxItems: MAX_ITEMS,
    concurrency: CONCURRENCY,
    isShared: isConnectionError,
  });
  return async ({ taskId, key }) => {
    const rows = await batch.add(taskId);
    if (rows.length === 0) {
      return undefined;
    }
    for (const row of rows) {
      if (row.key === key) {
        const { contentType, bytes, sha256, secondsLeft } = row;
        return { key, contentType, bytes, sha256, secondsLeft };
      }
    }
    return null;
  };
}
