import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

const SAVE_JOB_ID: Statement = {
  name: 'save-job-id',
  text: `
UPDATE provider_calls SET state = 'submitted', provider_request_id = $2
 WHERE id = $1 AND state IN ('started', 'submitted', 'cut', 'unknown')`,
};

/** Writes down the id of an asynchronous job, so that whoever takes the task over resumes the job instead of paying for another. */
export async function saveJobId(
  db: Pick<Database, 'run'>,
  { callId, jobId }: { readonly callId: string; readonly jobId: string },
): Promise<void> {
  await db.run(SAVE_JOB_ID, [callId, jobId]);
}
