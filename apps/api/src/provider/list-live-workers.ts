import { type Database, listWorkerReports, type ReportedWorker } from '@image-gateway/shared/db';
import { REQUIREMENT_NAMES, type RequirementName } from '@image-gateway/shared/task';

/** Time without a report after which a worker counts as gone. */
export const ALIVE_MS = 60_000;

/** Lists the workers that are alive, by service and age. */
export async function listLiveWorkers(db: Pick<Database, 'run'>): Promise<ReportedWorker[]> {
  return listWorkerReports(db, { withinMs: ALIVE_MS });
}

/** Lists the fields of requests that some living generation worker, of an earlier build, does not draw. */
export async function listUndrawnFields(db: Pick<Database, 'run'>): Promise<RequirementName[]> {
  const workers = (await listLiveWorkers(db)).filter(({ service }) => service === 'generation-worker');
  return REQUIREMENT_NAMES.filter((name) => workers.some(({ report }) => !report.fields?.includes(name)));
}
