import type { Database, ReportedWorker } from '@image-gateway/shared/db';
import { explainError } from '../cli/explain-error.js';
import { listLiveWorkers } from '../provider/list-live-workers.js';
import { type CheckResult, fault, fine, warning } from './check-result.js';
import { checkSpool, type SpoolSettings } from './check-spool.js';

const MEBIBYTE = 1024 ** 2;

/**
 * Checks the spools and the puts into the object store that living generation workers report. The spool of this environment, which is null
 * where its settings are wrong, counts only while no worker reports one.
 */
export async function checkReported(
  db: Pick<Database, 'run'> | null,
  here: SpoolSettings | null,
): Promise<CheckResult[]> {
  const own = async (): Promise<CheckResult[]> => (here === null ? [] : [await checkSpool(here)]);
  if (db === null) {
    return own();
  }
  try {
    const workers = await listLiveWorkers(db);
    const stores = workers.flatMap((worker) => judgePuts(worker));
    // Workers that share a folder share its disk.
    const spools = new Map(
      workers.flatMap((worker) => {
        const { spool } = worker.report;
        return spool ? [[`${worker.host} ${spool.dir}`, judgeSpool(worker.host, spool)] as const] : [];
      }),
    );
    return [...stores, ...(spools.size > 0 ? spools.values() : await own())];
  } catch (error) {
    return [warning('spool', 'reports of workers cannot be read', explainError(error).message)];
  }
}

function judgePuts({ host, pid, report }: ReportedWorker): CheckResult[] {
  return report.storeFault === undefined
    ? []
    : [
        fault(
          'object store',
          `it takes no images of the generation worker ${host}, process ${pid}, which begins no call: ${report.storeFault}`,
          'Free or add disk there, or mend what the error names. Images wait, and go on by themselves.',
        ),
      ];
}

function judgeSpool(
  host: string,
  { dir, free, max }: NonNullable<ReportedWorker['report']['spool']>,
): CheckResult {
  const [freeMib, maxMib] = [free, max].map((bytes) => Math.floor(bytes / MEBIBYTE));
  const observed = `${freeMib} MiB free for ${dir} of ${host}, SPOOL_MAX is ${maxMib} MiB`;
  return free < max
    ? warning(
        'spool',
        observed,
        'Free disk space, or lower SPOOL_MAX: each worker of that machine may use that much.',
      )
    : fine('spool', observed);
}
