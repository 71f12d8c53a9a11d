import type { JobImages } from '../deliver-images.js';
import { ProviderError } from '../failures.js';
import type { JobProgress } from '../follow-job.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import { asRecord, type DecodedJson } from '../http/json-decoder.js';
import { readJobId } from '../upstream-text.js';
import { toPredictionError, toProviderError } from './to-provider-error.js';

/** Created prediction, and its progress in the response. */
export interface CreatedPrediction {
  readonly id: string;
  readonly progress: JobProgress<JobImages>;
}

const ENDED: ReadonlySet<unknown> = new Set(['succeeded', 'failed']);

/** Parses the response to a submission. Throws ProviderError for a refusal, and `unknown` for an accepted prediction without a usable id. */
export function parseCreated({ status, headers, json }: UpstreamResponse): CreatedPrediction {
  if (!isSuccess(status)) {
    throw toProviderError({ status, headers, value: json?.value }, 'prediction');
  }
  const id = readJobId(asRecord(json?.value)?.id);
  if (json === null || id === null) {
    throw new ProviderError('unknown', `replicate answered ${status} without the id of a prediction`);
  }
  return { id, progress: parseProgress(json, id) };
}

/** Parses the response to a poll. Throws ProviderError for a failed poll, which says nothing about the prediction. */
export function parsePoll({ status, headers, json }: UpstreamResponse, id: string): JobProgress<JobImages> {
  if (status === 404) {
    return toFailed('unknown', 'replicate does not know the prediction any more', id);
  }
  if (!isSuccess(status)) {
    throw toProviderError({ status, headers, value: json?.value }, 'poll');
  }
  if (json === null || typeof asRecord(json.value)?.status !== 'string') {
    throw new ProviderError('bad-response', 'replicate answered no prediction');
  }
  return parseProgress(json, id);
}

/** Parses the response to a cancellation: true when the prediction will stop, false when it has ended or is unknown. Throws ProviderError for anything else. */
export function parseCancellation({ status, headers, json }: UpstreamResponse): boolean {
  if (status === 404) {
    return false;
  }
  if (!isSuccess(status)) {
    throw toProviderError({ status, headers, value: json?.value }, 'poll');
  }
  return !ENDED.has(asRecord(json?.value)?.status);
}

/** Parses a prediction; an unknown status means that it still runs. */
function parseProgress(json: DecodedJson, id: string): JobProgress<JobImages> {
  const prediction = asRecord(json.value);
  switch (prediction?.status) {
    case 'succeeded': {
      const urls = parseImageUrls(prediction.output);
      if (urls === null) {
        return toFailed('bad-response', 'the output of the prediction is no URL', id);
      }
      if (urls.length > 0) {
        return { kind: 'done', result: { urls, json } };
      }
      return prediction.data_removed === true
        ? toFailed('output-expired', 'the output of the prediction has been removed', id)
        : toFailed('no-image', 'the prediction succeeded without an output', id);
    }
    case 'failed':
      return { kind: 'failed', error: toPredictionError(prediction.error, id) };
    case 'canceled':
      return toFailed('canceled', 'the prediction was canceled', id);
    // Ended by its own deadline before it began.
    case 'aborted':
      return toFailed('timeout', 'the prediction was aborted', id);
    default:
      return { kind: 'pending' };
  }
}

/** Returns the URLs of an output, which is one URL or a list: none without an output, null for an invalid one. */
function parseImageUrls(output: unknown): readonly string[] | null {
  if (output === null || output === undefined || output === '') {
    return [];
  }
  const list: readonly unknown[] = Array.isArray(output) ? output : [output];
  const urls = list.filter((url): url is string => typeof url === 'string' && url !== '');
  return urls.length === 0 && list.length > 0 ? null : urls;
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

function toFailed(
  failure: 'unknown' | 'canceled' | 'timeout' | 'output-expired' | 'no-image' | 'bad-response',
  message: string,
  upstreamId: string,
) {
  return { kind: 'failed', error: new ProviderError(failure, message, { upstreamId }) } as const;
}
