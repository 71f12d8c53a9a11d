import type { UpstreamAnswer } from '../http/create-upstream.js';
import { recordOf } from '../record-of.js';
import { failureOf } from './failure-of.js';

const ENDED: ReadonlySet<unknown> = new Set(['succeeded', 'failed']);

/** Whether an answer to a cancellation says that the prediction will stop; false when it had ended or nobody knows it. Throws ProviderError for anything else. */
export function canceledBy({ status, headers, json }: UpstreamAnswer): boolean {
  if (status === 404) return false;
  if (status < 200 || status > 299) throw failureOf({ status, headers, value: json?.value }, 'look');
  return !ENDED.has(recordOf(json?.value)?.status);
}
