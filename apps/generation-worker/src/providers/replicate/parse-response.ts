import type { JobImages } from '../deliver-images.js';
import { ProviderError } from '../failures.js';
import type { JobProgress } from '../follow-job.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import type { DecodedJson } from '../http/json-decoder.js';
import {
  ANY,
  checkShape,
  entries,
  loose,
  NEEDED_TEXT,
  needed,
  readLoosely,
  readShape,
  TEXT,
} from '../http/read-shape.js';
import { readJobId } from '../upstream-text.js';
import { toPredictionError, toProviderError } from './to-provider-error.js';

/** Created prediction, and its progress in the response. */
export interface CreatedPrediction {
  readonly id: string;
  readonly progress: JobProgress<JobImages>;
}

const createdSchema = needed({ id: NEEDED_TEXT });
const polledSchema = needed({ status: NEEDED_TEXT });
const predictionSchema = loose({ status: TEXT, output: ANY, data_removed: ANY, error: TEXT });
const outputSchema = needed({ output: entries(NEEDED_TEXT) });
const ENDED: ReadonlySet<string> = new Set(['succeeded', 'failed']);

/**
 * Parses the response to a submission. Throws ProviderError for a refusal, and `unknown` for an accepted prediction without a
 * usable id.
 */
export function parseCreated({ status, headers, json }: UpstreamResponse): CreatedPrediction {
  if (!isSuccess(status)) {
    throw toProviderError({ status, headers, value: json?.value }, 'prediction');
  }
  const created = readShape(createdSchema, json?.value, { upstream: 'replicate', failure: 'unknown' });
  const id = readJobId(created.id);
  if (json === null || id === null) {
    throw new ProviderError('unknown', `replicate answered ${status} without the id of a prediction`);
  }
  return { id, progress: parseProgress(json, id) };
}

/** Parses the response to a poll. Throws ProviderError for a failed poll, which says nothing about the prediction. */
export function parsePoll({ status, headers, json }: UpstreamResponse, id: string): JobProgress<JobImages> {
  if (status === 404) {
    const failed = toFailed('unknown', 'replicate does not know the prediction', id);
    return { ...failed, mayChange: 'while-new' };
  }
  if (!isSuccess(status)) {
    throw toProviderError({ status, headers, value: json?.value }, 'poll');
  }
  if (json === null) {
    throw new ProviderError('bad-response', `replicate answered ${status} without JSON`);
  }
  readShape(polledSchema, json.value, { upstream: 'replicate' });
  return parseProgress(json, id);
}

/**
 * Parses the response to a cancellation: true when the prediction will stop, false when it has ended or is unknown. Throws
 * ProviderError for anything else.
 */
export function parseCancellation({ status, headers, json }: UpstreamResponse): boolean {
  if (status === 404) {
    return false;
  }
  if (!isSuccess(status)) {
    throw toProviderError({ status, headers, value: json?.value }, 'poll');
  }
  return !ENDED.has(readLoosely(predictionSchema, json?.value).status);
}

/** Parses a prediction; an unknown status means that it still runs. */
function parseProgress(json: DecodedJson, id: string): JobProgress<JobImages> {
  const { status, output, data_removed: isRemoved, error } = readLoosely(predictionSchema, json.value);
  switch (status) {
    case 'succeeded': {
      // One URL or a list.
      const urls = Array.isArray(output) ? output : [output ?? ''].filter((one) => one !== '');
      const read = checkShape(outputSchema, { output: urls }, { upstream: 'replicate', upstreamId: id });
      if (read.error !== null) {
        return { kind: 'failed', error: read.error };
      }
      if (read.body.output.length > 0) {
        return { kind: 'done', result: { urls: read.body.output, json } };
      }
      return isRemoved === true
        ? toFailed('output-expired', 'the output of the prediction has been removed', id)
        : toFailed('no-image', 'the prediction succeeded without an output', id);
    }
    case 'failed':
      return { kind: 'failed', error: toPredictionError(error, id) };
    case 'canceled':
      return toFailed('canceled', 'the prediction was canceled', id);
    // Ended by its own deadline before it began.
    case 'aborted':
      return toFailed('timeout', 'the prediction was aborted', id);
    default:
      return { kind: 'pending' };
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

function toFailed(
  failure: 'unknown' | 'canceled' | 'timeout' | 'output-expired' | 'no-image',
  message: string,
  upstreamId: string,
) {
  return { kind: 'failed', error: new ProviderError(failure, message, { upstreamId }) } as const;
}
