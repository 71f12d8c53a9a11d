import { type Database, listWorkerReports, type ReportedWorker } from '@image-gateway/shared/db';

/** Time without a report after which a worker counts as gone. */
export const ALIVE_MS = 60_000;

/** Lists the workers that are alive, by service and age. */
export async function listLiveWorkers(db: Pick<Database, 'run'>): Promise<ReportedWorker[]> {
  return listWorkerReports(db, { withinMs: ALIVE_MS });
}
