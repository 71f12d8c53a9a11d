import type { JobImages } from '../deliver-images.js';
import { ProviderError } from '../errors.js';
import type { JobProgress } from '../follow-job.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import { asRecord } from '../record-of.js';
import { failureOf } from './failure-of.js';
import { progressOf } from './progress-of.js';

const NOT_FOUND = 404;

/** Reads the answer to a look at a prediction. Throws ProviderError when the look failed, which says nothing about the prediction. */
export function lookAtPrediction(
  { status, headers, json }: UpstreamResponse,
  id: string,
): JobProgress<JobImages> {
  if (status === NOT_FOUND) {
    const error = new ProviderError('unknown', 'replicate does not know the prediction any more', {
      upstreamId: id,
    });
    return { kind: 'failed', error };
  }
  if (status < 200 || status > 299) throw failureOf({ status, headers, value: json?.value }, 'look');
  if (json === null || typeof asRecord(json.value)?.status !== 'string') {
    throw new ProviderError('bad-response', 'replicate answered no prediction');
  }
  return progressOf(json, id);
}
