import type { JobImages } from '../deliver-images.js';
import { ProviderError } from '../errors.js';
import type { JobProgress } from '../follow-job.js';
import type { DecodedJson } from '../http/decode-json.js';
import { asRecord } from '../record-of.js';
import { failureOfPrediction } from './failure-of-prediction.js';
import { imagesOf } from './images-of.js';

/** What a prediction says about itself; a status that is not known means that it still runs. */
export function progressOf(json: DecodedJson, id: string): JobProgress<JobImages> {
  const prediction = asRecord(json.value);
  const failed = (
    failure: 'canceled' | 'timeout' | 'output-expired' | 'no-image' | 'bad-response',
    why: string,
  ) => ({ kind: 'failed', error: new ProviderError(failure, why, { upstreamId: id }) }) as const;
  switch (prediction?.status) {
    case 'succeeded': {
      const urls = imagesOf(prediction.output);
      if (urls === null) return failed('bad-response', 'the output of the prediction is no address');
      if (urls.length > 0) return { kind: 'done', result: { urls, json } };
      return prediction.data_removed === true
        ? failed('output-expired', 'the output of the prediction has been removed')
        : failed('no-image', 'the prediction succeeded without an output');
    }
    case 'failed':
      return { kind: 'failed', error: failureOfPrediction(prediction.error, id) };
    case 'canceled':
      return failed('canceled', 'the prediction was canceled');
    // Ended by its own deadline before it began.
    case 'aborted':
      return failed('timeout', 'the prediction was aborted');
    default:
      return { kind: 'pending' };
  }
}
