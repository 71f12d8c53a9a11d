import { statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import { listDocumentNames } from '@image-gateway/shared/catalog/document';
import { createSemaphore } from '@image-gateway/shared/concurrency';
import { getVersion } from '@image-gateway/shared/config';
import { saveWorkerReport, type WorkerReport } from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import { DRAWING } from '@image-gateway/shared/task';
import type { ReportedProviders } from './routing/create-catalog-router.js';
import type { Health } from './routing/create-health.js';
import type { WorkerParts } from './worker-parts.js';

/** Report of a worker: what it draws, the providers in use, and pauses. */
export interface Report {
  /** Saves the report, and resumes what operators have resumed. */
  readonly save: () => Promise<void>;
  /** Replaces the providers and saves the report: the offer of the API follows from it, and does not wait for the next sweep. */
  readonly reportProviders: (found: ReportedProviders) => void;
  /** Replaces why the object store takes no images, null for one that does, and saves the report. */
  readonly reportStore: (fault: string | null) => void;
  /** Takes back that images wait for the object store: those of a worker that has stopped wait no more. */
  readonly end: () => Promise<void>;
}

/** Creates the report of a worker. */
export function createReport(
  { settings, db, logger }: Pick<WorkerParts, 'settings' | 'db' | 'logger'>,
  { workerId, health }: { readonly workerId: string; readonly health: Pick<Health, 'reports' | 'resume'> },
): Report {
  const ceilingMicros = settings.MAX_UPSTREAM_COST_DAY ?? null;
  let providers: ReportedProviders = {};
  let storeFault: string | null = null;
  // One at a time: an older report must not replace a newer one.
  const { run: runSerially } = createSemaphore({ permits: 1 });
  const save = (): Promise<void> =>
    runSerially(async () => {
      const resumed = await saveWorkerReport(db, {
        id: workerId,
        service: 'generation-worker',
        host: hostname(),
        pid: process.pid,
        report: {
          version: getVersion(),
          draws: DRAWING,
          reads: listDocumentNames(),
          ...(ceilingMicros !== null && { maxCostDay: formatDollars(ceilingMicros) }),
          candidates: health.reports(),
          ...(await describeSpool(settings)),
          ...providers,
          ...(storeFault !== null && { storeFault }),
        },
      });
      health.resume(resumed);
    });
  const saveSoon = (): void => {
    save().catch((error: unknown) => logger.warn('the report of this worker was not saved', { error }));
  };
  return {
    save,
    reportProviders: (found) => {
      providers = found;
      saveSoon();
    },
    reportStore: (found) => {
      storeFault = found;
      saveSoon();
    },
    end: async () => {
      if (storeFault !== null) {
        storeFault = null;
        await save();
      }
    },
  };
}

/** Describes the spool for a report; nothing of one whose folder cannot be seen, which the log names. */
async function describeSpool({
  SPOOL_DIR: dir,
  SPOOL_MAX: max,
}: WorkerParts['settings']): Promise<Pick<WorkerReport['report'], 'spool'>> {
  const disk = await statfs(dir).catch(() => null);
  return disk === null ? {} : { spool: { dir, free: disk.bavail * disk.bsize, max } };
}
