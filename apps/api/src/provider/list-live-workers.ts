import { type Database, listWorkerReports, type ReportedWorker } from '@image-gateway/shared/db';
import type { Drawing } from '@image-gateway/shared/task';

/** Time without a report after which a worker counts as gone. */
export const ALIVE_MS = 60_000;

/** Lists the workers that are alive, by service and age. */
export async function listLiveWorkers(db: Pick<Database, 'run'>): Promise<ReportedWorker[]> {
  return listWorkerReports(db, { withinMs: ALIVE_MS });
}

/** Drawing of a worker that does not say what it draws: no optional field. */
const PLAIN: Drawing = { types: ['image_generate', 'image_edit'], fields: {} };

/** Lists what the living generation workers draw, once for each build. */
export async function listDrawings(db: Pick<Database, 'run'>): Promise<Drawing[]> {
  const workers = (await listLiveWorkers(db)).filter(({ service }) => service === 'generation-worker');
  const drawings = workers.map(({ report }) => report.draws ?? PLAIN);
  return [...new Map(drawings.map((one) => [JSON.stringify(one), one])).values()];
}
