import type { UpstreamResponse } from '../http/create-upstream.js';
import { asRecord } from '../record-of.js';
import { failureOf } from './failure-of.js';

const ENDED: ReadonlySet<unknown> = new Set(['succeeded', 'failed']);

/** Whether an answer to a cancellation says that the prediction will stop; false when it had ended or nobody knows it. Throws ProviderError for anything else. */
export function canceledBy({ status, headers, json }: UpstreamResponse): boolean {
  if (status === 404) return false;
  if (status < 200 || status > 299) throw failureOf({ status, headers, value: json?.value }, 'look');
  return !ENDED.has(asRecord(json?.value)?.status);
}
