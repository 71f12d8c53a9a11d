import type { Database } from '../create-database.js';
import type { WorkerReport as WorkerReportModel } from '../generated/client.js';
import type { Statement } from '../statement.js';
import type { WorkerReport } from './worker-report.js';

/** A worker as it last reported. */
export interface ReportedWorker
  extends WorkerReport,
    Readonly<Pick<WorkerReportModel, 'startedAt' | 'seenAt'>> {
  /** Milliseconds since it was seen, by the database's clock. */
  readonly silentMs: number;
}

const LIST_WORKER_REPORTS: Statement = {
  name: 'list-worker-reports',
  text: `
SELECT id, service, host, pid, report, started_at AS "startedAt", seen_at AS "seenAt",
       (EXTRACT(EPOCH FROM now() - seen_at) * 1000)::float8 AS "silentMs"
  FROM worker_reports WHERE seen_at > now() - make_interval(secs => $1::float8 / 1000) ORDER BY service, started_at, id`,
};

/** Returns true for a worker of an earlier release, which draws requests without the fields that this one has added. */
export function isEarlierWorker({ service, report }: Pick<WorkerReport, 'service' | 'report'>): boolean {
  return service === 'generation-worker' && report.sandboxServesRest === undefined;
}

/** The workers that were seen in the last `withinMs`, by service and age. */
export async function listWorkerReports(
  db: Pick<Database, 'run'>,
  { withinMs }: { readonly withinMs: number },
): Promise<ReportedWorker[]> {
  return db.run<ReportedWorker>(LIST_WORKER_REPORTS, [withinMs]);
}
