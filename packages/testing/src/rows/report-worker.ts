import { listDocumentNames } from '@image-gateway/shared/catalog/document';
import { getVersion } from '@image-gateway/shared/config';
import { saveWorkerReport, type WorkerReport } from '@image-gateway/shared/db';
import { DRAWING } from '@image-gateway/shared/task';
import type { TestDatabase } from '../create-test-database.js';

/** Reports a worker as one of this build does; a generation worker unless said otherwise. */
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
    report: { version: getVersion(), draws: DRAWING, reads: listDocumentNames(), ...report },
  });
}
