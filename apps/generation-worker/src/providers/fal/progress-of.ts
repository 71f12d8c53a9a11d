import type { JobImages } from '../deliver-images.js';
import { ProviderError } from '../errors.js';
import type { JobProgress } from '../follow-job.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import { failureOf } from './failure-of.js';
import { type FalAnswer, faultOf } from './fault-of.js';
import { imagesOf } from './images-of.js';

const MODELS_HEADERS = ['x-fal-billable-units', 'x-fal-retryable'] as const;

/**
 * What the answer to a request for the result says about the job. fal hands on what the model answered, its status included:
 * an error is the job's own when it looks like one, and a failed look, thrown as ProviderError, otherwise.
 */
export function progressOf(
  { status, headers, json }: UpstreamResponse,
  seen: FalAnswer,
): JobProgress<JobImages> {
  const answer: FalAnswer = { status, headers, value: json?.value };
  const failed = (error: ProviderError) => ({ kind: 'failed', error }) as const;
  if (status === 404) return failed(new ProviderError('unknown', 'fal does not know the job any more'));
  if (isTooEarly(answer)) return { kind: 'pending' };
  if (status >= 200 && status < 300) {
    if (json === null) throw new ProviderError('bad-response', 'fal answered a result that is no JSON');
    const urls = imagesOf(json.value);
    if (urls === null)
      return failed(new ProviderError('bad-response', 'fal answered a result without images'));
    if (urls.length === 0)
      return failed(new ProviderError('no-image', 'fal answered an empty list of images'));
    return { kind: 'done', result: { urls, json } };
  }
  if (isTheModels(answer)) return failed(failureOf(answer));
  if (faultOf(seen).type !== null) return failed(failureOf({ ...seen, status: 500 }));
  throw failureOf(answer);
}

/** Sources differ about a result that is asked for too early: 202, or 400 with a plain text. */
function isTooEarly(answer: FalAnswer): boolean {
  return answer.status === 202 || (answer.status === 400 && faultOf(answer).type === null);
}

function isTheModels(answer: FalAnswer): boolean {
  const { status, headers } = answer;
  return (
    status === 422 ||
    faultOf(answer).type !== null ||
    MODELS_HEADERS.some((name) => headers[name] !== undefined)
  );
}
