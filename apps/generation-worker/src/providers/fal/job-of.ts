import { ProviderError } from '../errors.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import type { ProviderJob } from '../port.js';
import { asRecord } from '../record-of.js';
import { failureOf } from './failure-of.js';
import { readPaths, type Submission } from './read-paths.js';

const ID = /^[\w-]{1,200}$/;

/** The job that a submission became. Throws ProviderError when it was refused, and `unknown` when it was taken without an id that could be asked about. */
export function jobOf(
  { status, headers, json }: UpstreamResponse,
  submission: Omit<Submission, 'id'>,
): ProviderJob {
  if (status < 200 || status > 299) throw failureOf({ status, headers, value: json?.value });
  const id = asRecord(json?.value)?.request_id;
  if (typeof id !== 'string' || !ID.test(id)) {
    throw new ProviderError('unknown', `fal answered ${status} without a request id`);
  }
  return { id, handle: JSON.stringify(readPaths(json?.value, { ...submission, id })) };
}
