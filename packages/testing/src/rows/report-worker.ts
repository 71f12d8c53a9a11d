import { getVersion } from '@image-gateway/shared/config';
import { saveWorkerReport, type WorkerReport } from '@image-gateway/shared/db';
import { DRAWING } from '@image-gateway/shared/task';
import type { TestDatabase } from '../create-test-database.js';

/**
 * Reports a worker as one of this release does; a generation worker unless said otherwise. Workers that name no version count
 * as those of the former release, for which a change of the catalog leaves built-in content waiting.
 */
export async function reportWorker(
  { db }: Pick<TestDatabase, 'db'>,
  report: WorkerReport['report'],
  worker: Partial<Omit<WorkerReport, 'report'>> = {},
): Promise<void> {
  await saveWorkerReport(db, {
    id: 'w1',
    service: 'generation-worker',
    host: 'h',
    pid: 1,
    ...worker,
    report: { version: getVersion(), draws: DRAWING, ...report },
  });
}
