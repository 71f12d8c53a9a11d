import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

/**
 * Uploads of an account that no task uses yet, at most. They are stored right before their task is submitted and released when it is
 * refused. Only crashes and outages leave more of them.
 */
const MAX_UNUSED = 1_000;

const ADD_TASK_INPUTS: Statement = {
  name: 'add-task-inputs',
  text: `
INSERT INTO task_inputs (id, account_id, remove_at)
SELECT unnest($1::text[]), $2, now() + interval '1 hour'
 WHERE (SELECT count(*) FROM (SELECT FROM task_inputs WHERE account_id = $2 AND task_id IS NULL AND expires_at IS NULL
                                 AND remove_at > now() LIMIT $3::int) u) < $3::int
RETURNING id`,
};

const LINK_TASK_INPUTS: Statement = {
  name: 'link-task-inputs',
  text: 'UPDATE task_inputs SET task_id = $1 WHERE id = ANY($2::text[]) AND task_id IS NULL',
};

// They count for no limit from then on; the sweep removes what the caller does not.
const RELEASE_TASK_INPUTS: Statement = {
  name: 'release-task-inputs',
  text: 'UPDATE task_inputs SET remove_at = now() WHERE id = ANY($1::text[]) AND task_id IS NULL',
};

const EXPIRE_TASK_INPUTS: Statement = {
  name: 'expire-task-inputs',
  text: 'UPDATE task_inputs SET task_id = NULL, remove_at = now() WHERE task_id = $1',
};

/** Adds the rows of uploads, before their objects are stored; false when the account has too many that no task uses. */
export async function addTaskInputs(
  db: Pick<Database, 'run'>,
  { ids, accountId }: { readonly ids: readonly string[]; readonly accountId: string },
): Promise<boolean> {
  return (await db.run(ADD_TASK_INPUTS, [ids, accountId, MAX_UNUSED])).length > 0;
}

/** Makes uploads due whose request was refused. */
export async function releaseTaskInputs(db: Pick<Database, 'run'>, ids: readonly string[]): Promise<void> {
  await db.run(RELEASE_TASK_INPUTS, [ids]);
}

/** Names the task that uses uploads. Without it they are removed an hour after they came. */
export async function linkTaskInputs(
  db: Pick<Database, 'run'>,
  { taskId, ids }: { readonly taskId: string; readonly ids: readonly string[] },
): Promise<void> {
  await db.run(LINK_TASK_INPUTS, [taskId, ids]);
}

/** Lets the next sweep remove the uploads of a finished task. */
export async function expireTaskInputs(db: Pick<Database, 'run'>, taskId: string): Promise<void> {
  await db.run(EXPIRE_TASK_INPUTS, [taskId]);
}
