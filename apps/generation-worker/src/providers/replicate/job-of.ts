import type { DonePictures } from '../deliver-pictures.js';
import { ProviderError } from '../errors.js';
import type { JobProgress } from '../follow-job.js';
import type { UpstreamAnswer } from '../http/create-upstream.js';
import { recordOf } from '../record-of.js';
import { failureOf } from './failure-of.js';
import { progressOf } from './progress-of.js';

/** A prediction that was created, and what its creation already showed of it. */
export interface CreatedPrediction {
  readonly id: string;
  readonly progress: JobProgress<DonePictures>;
}

const ID = /^[\w-]{1,200}$/;

/** The prediction that a request became. Throws ProviderError when it was refused, and `unknown` when it was taken without an id that could be asked about. */
export function jobOf({ status, headers, json }: UpstreamAnswer): CreatedPrediction {
  if (status < 200 || status > 299) throw failureOf({ status, headers, value: json?.value }, 'prediction');
  const id = recordOf(json?.value)?.id;
  if (json === null || typeof id !== 'string' || !ID.test(id)) {
    throw new ProviderError('unknown', `replicate answered ${status} without the id of a prediction`);
  }
  return { id, progress: progressOf(json, id) };
}
