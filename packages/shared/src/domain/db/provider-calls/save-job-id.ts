import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

const SAVE_JOB_ID: Statement = {
  name: 'save-job-id',
  text: `
UPDATE provider_calls SET state = 'submitted', provider_request_id = $2, job_handle = $3
 WHERE id = $1 AND state IN ('started', 'submitted', 'cut', 'unknown')`,
};

/** Saves an asynchronous job, so that a later attempt resumes it instead of paying for another. */
export async function saveJobId(
  db: Pick<Database, 'run'>,
  {
    callId,
    jobId,
    handle,
  }: { readonly callId: string; readonly jobId: string; readonly handle: string | null },
): Promise<void> {
  await db.run(SAVE_JOB_ID, [callId, jobId, handle]);
}
