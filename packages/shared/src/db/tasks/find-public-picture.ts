import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

/** A picture that may be shown to everybody who knows its URL. */
export interface PublicPicture {
  readonly key: string;
  readonly contentType: string;
  readonly bytes: number;
  /** Hexadecimal, of the picture's bytes. */
  readonly sha256: string;
}

const FIND_PUBLIC_PICTURE: Statement = {
  name: 'find-public-picture',
  text: `
SELECT o.key, o.content_type AS "contentType", o.bytes, o.sha256
  FROM task_outputs o JOIN tasks t ON t.id = o.task_id
 WHERE o.task_id = $1 AND o.key = $2 AND t.status = 'completed'`,
};

/** Finds a picture of a completed task by its object key; pictures of other tasks are null. */
export async function findPublicPicture(
  db: Pick<Database, 'run'>,
  { taskId, key }: { readonly taskId: string; readonly key: string },
): Promise<PublicPicture | null> {
  const [row] = await db.run<PublicPicture>(FIND_PUBLIC_PICTURE, [taskId, key]);
  return row ?? null;
}
