import type { JobImages } from '../deliver-images.js';
import { ProviderError } from '../errors.js';
import type { JobProgress } from '../follow-job.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import { asRecord } from '../record-of.js';
import { failureOf } from './failure-of.js';
import type { JobPaths } from './job-paths.js';
import { progressOf } from './progress-of.js';

const NOT_FOUND = 404;

/** Looks at a job once: its status, and its result when it has ended, since a job that failed is completed like any other. Throws ProviderError when the look failed. */
export async function lookAtJob(
  get: (path: string) => Promise<UpstreamResponse>,
  paths: JobPaths,
): Promise<JobProgress<JobImages>> {
  const status = await get(`${paths.status}?logs=0`);
  const value = status.json?.value;
  if (status.status === NOT_FOUND) return { kind: 'failed', error: lost() };
  if (status.status < 200 || status.status > 299) throw failureOf({ ...status, value });
  const state = asRecord(value)?.status;
  if (typeof state !== 'string') throw new ProviderError('bad-response', 'fal answered no status of the job');
  if (state !== 'COMPLETED') return { kind: 'pending' };
  return progressOf(await get(paths.result), { ...status, value });
}

const lost = (): ProviderError => new ProviderError('unknown', 'fal does not know the job any more');
