import type { JobImages } from '../deliver-images.js';
import { ProviderError } from '../errors.js';
import type { JobProgress } from '../follow-job.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import { asRecord } from '../record-of.js';
import { failureOf } from './failure-of.js';
import { progressOf } from './progress-of.js';

/** A prediction that was created, and what its creation already showed of it. */
export interface CreatedPrediction {
  readonly id: string;
  readonly progress: JobProgress<JobImages>;
}

const ID = /^[\w-]{1,200}$/;

/** The prediction that a request became. Throws ProviderError when it was refused, and `unknown` when it was taken without an id that could be asked about. */
export function jobOf({ status, headers, json }: UpstreamResponse): CreatedPrediction {
  if (status < 200 || status > 299) throw failureOf({ status, headers, value: json?.value }, 'prediction');
  const id = asRecord(json?.value)?.id;
  if (json === null || typeof id !== 'string' || !ID.test(id)) {
    throw new ProviderError('unknown', `replicate answered ${status} without the id of a prediction`);
  }
  return { id, progress: progressOf(json, id) };
}
