import type { DocumentNames, KeySource } from '../../catalog/document/index.js';
import type { Drawing } from '../../task/index.js';
import type { Database } from '../create-database.js';
import type { ProviderLimit, WorkerReport as WorkerReportModel } from '../generated/client.js';
import type { Statement } from '../statement.js';

/** How a candidate of the routing table stands in one worker. */
export interface CandidateReport {
  readonly provider: string;
  readonly model: string;
  readonly circuit: 'closed' | 'open' | 'half-open';
  /** Accounts that it is closed to because their own calls failed; absent in reports of 0.3.0. @until 0.5.0 */
  readonly accountsPaused?: number;
  /** Pause for which the provider asked in milliseconds, for each key by its fingerprint; 0 entries are left out. */
  readonly pausedMs: Readonly<Record<string, number>>;
  /** Why it is paused; absent in reports of 0.3.0. @until 0.5.0 */
  readonly pauseCauses?: readonly ('rate-limit' | 'overload')[];
  /** Fingerprints of keys that were refused or have no credit left; they are tried last. */
  readonly keysSetAside: readonly string[];
  /** True if the whole candidate is tried last: its model is gone, or its provider does not serve us. */
  readonly setAside: boolean;
  /** Calls under way. */
  readonly running: number;
}

/** Report of a worker about itself. */
export interface WorkerReport extends Readonly<Pick<WorkerReportModel, 'id' | 'host' | 'pid'>> {
  readonly service: 'generation-worker' | 'webhook-worker';
  readonly report: {
    /** Version of its release. */
    readonly version?: string;
    /** Dollars that the calls of all providers may cost in a UTC day; absent without such a ceiling. */
    readonly maxCostDay?: string;
    readonly candidates?: readonly CandidateReport[];
    /** Names of the providers that it calls: those of its environment, and the catalog's instances whose keys it has. */
    readonly providers?: readonly string[];
    /** Models that its sandbox draws because these providers do not: all, the built-in ones, or none. */
    readonly sandboxServesRest?: boolean | 'built-in';
    /** Kinds of tasks and values of fields that it draws; those of another build may be others. */
    readonly draws?: Drawing;
    /** Names that it reads in documents. */
    readonly reads?: DocumentNames;
    /** Folder of its spool, and bytes: free on that disk, and those that it may use. */
    readonly spool?: { readonly dir: string; readonly free: number; readonly max: number };
    /** Error of the last put into the object store, since when this worker begins no call; absent while puts succeed. */
    readonly storeFault?: string;
    /** Providers that take keys: where this worker calls them, and where it has the keys from. */
    readonly keys?: Readonly<Record<string, KeySource>>;
  };
}

// Rows of workers that are gone are kept for a day, so that an operator can see what was lost.
const SAVE_WORKER_REPORT: Statement = {
  name: 'save-worker-report',
  text: `
WITH gone AS (DELETE FROM worker_reports WHERE seen_at < now() - interval '1 day'),
saved AS (
  INSERT INTO worker_reports (id, service, host, pid, report) VALUES ($1, $2, $3, $4::int, $5::jsonb)
  ON CONFLICT (id) DO UPDATE SET seen_at = now(), report = EXCLUDED.report)
SELECT name, resumed_at AS "resumedAt" FROM provider_limits WHERE resumed_at IS NOT NULL`,
};

/** Provider that an operator has resumed. */
export type ResumedProvider = Pick<ProviderLimit, 'name'> & { readonly resumedAt: Date };

/** Writes down that a worker is alive and how its candidates stand. Returns the providers that operators have resumed, and when. */
export async function saveWorkerReport(
  db: Pick<Database, 'run'>,
  report: WorkerReport,
): Promise<readonly ResumedProvider[]> {
  const { id, service, host, pid } = report;
  return db.run<ResumedProvider>(SAVE_WORKER_REPORT, [id, service, host, pid, JSON.stringify(report.report)]);
}

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

/** The workers that were seen in the last `withinMs`, by service and age. */
export async function listWorkerReports(
  db: Pick<Database, 'run'>,
  { withinMs }: { readonly withinMs: number },
): Promise<ReportedWorker[]> {
  return db.run<ReportedWorker>(LIST_WORKER_REPORTS, [withinMs]);
}
