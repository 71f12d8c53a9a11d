import {
  type Database,
  isEarlierWorker,
  listWorkerReports,
  type ReportedWorker,
} from '@image-gateway/shared/db';

/** Time without a report after which a worker counts as gone. */
export const ALIVE_MS = 60_000;

/** Lists the workers that are alive, by service and age. */
export async function listLiveWorkers(db: Pick<Database, 'run'>): Promise<ReportedWorker[]> {
  return listWorkerReports(db, { withinMs: ALIVE_MS });
}

/** Returns true while a generation worker of an earlier release is alive. */
export async function hasEarlierWorkers(db: Pick<Database, 'run'>): Promise<boolean> {
  return (await listLiveWorkers(db)).some(isEarlierWorker);
}
