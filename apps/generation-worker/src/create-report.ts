import { hostname } from 'node:os';
import { listDocumentNames } from '@image-gateway/shared/catalog/document';
import { createSemaphore } from '@image-gateway/shared/concurrency';
import { getVersion } from '@image-gateway/shared/config';
import { saveWorkerReport } from '@image-gateway/shared/db';
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
}

/** Creates the report of a worker. */
export function createReport(
  { settings, db, logger }: Pick<WorkerParts, 'settings' | 'db' | 'logger'>,
  { workerId, health }: { readonly workerId: string; readonly health: Pick<Health, 'reports' | 'resume'> },
): Report {
  const ceilingMicros = settings.MAX_UPSTREAM_COST_DAY ?? null;
  let providers: ReportedProviders = {};
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
          ...providers,
        },
      });
      health.resume(resumed);
    });
  return {
    save,
    reportProviders: (found) => {
      providers = found;
      save().catch((error: unknown) => logger.warn('the report of this worker was not saved', { error }));
    },
  };
}
