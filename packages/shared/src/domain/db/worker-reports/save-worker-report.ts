import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import type { WorkerReport } from './worker-report.js';

// Rows of workers that are gone are kept for a day, so that an operator can see what was lost.
const SAVE_WORKER_REPORT: Statement = {
  name: 'save-worker-report',
  text: `
WITH gone AS (DELETE FROM worker_reports WHERE seen_at < now() - interval '1 day')
INSERT INTO worker_reports (id, service, host, pid, report) VALUES ($1, $2, $3, $4::int, $5::jsonb)
ON CONFLICT (id) DO UPDATE SET seen_at = now(), report = EXCLUDED.report`,
};

/** Writes down that a worker is alive and how its candidates stand. */
export async function saveWorkerReport(db: Pick<Database, 'run'>, report: WorkerReport): Promise<void> {
  const { id, service, host, pid } = report;
  await db.run(SAVE_WORKER_REPORT, [id, service, host, pid, JSON.stringify(report.report)]);
}
