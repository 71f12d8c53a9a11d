import { PLAYGROUND_KEY_ID } from '@image-gateway/shared/contract';
import type { AccountReads, Statement } from '@image-gateway/shared/db';
import type { PlaygroundRun } from '@image-gateway/shared/task/schema';

const SHOWN = 24;

// The id is written out: only so does the statement find its index, which holds these tasks alone.
const LIST_PLAYGROUND_RUNS: Statement = {
  name: 'dashboard-list-playground-runs',
  text: `
SELECT t.id, t.status, left(t.prompt, 120) AS prompt,
       (SELECT o.key FROM task_outputs o WHERE o.task_id = t.id AND t.status = 'completed' ORDER BY o.index LIMIT 1) AS key
  FROM tasks t
 WHERE t.account_id = $1 AND t.api_key_id = '${PLAYGROUND_KEY_ID}' AND t.erased_at IS NULL
 ORDER BY t.created_at DESC, t.id DESC LIMIT ${SHOWN}`,
};

/** Lists the last runs of an account's playground, newest first. */
export async function listPlaygroundRuns(
  { db, fileUrl }: { readonly db: AccountReads; readonly fileUrl: string },
  accountId: string,
): Promise<readonly PlaygroundRun[]> {
  const rows = await db.run<Omit<PlaygroundRun, 'url'> & { readonly key: string | null }>(
    LIST_PLAYGROUND_RUNS,
    [accountId],
  );
  return rows.map(({ key, ...run }) => ({ ...run, url: key === null ? null : `${fileUrl}/${key}` }));
}
