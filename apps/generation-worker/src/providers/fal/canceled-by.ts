import type { UpstreamResponse } from '../http/create-upstream.js';
import { failureOf } from './failure-of.js';

const TOO_LATE: ReadonlySet<number> = new Set([400, 404]);

/** Whether an answer to a cancellation says that the job will stop; false when it had ended or nobody knows it. Throws ProviderError for anything else. */
export function canceledBy({ status, headers, json }: UpstreamResponse): boolean {
  if (status >= 200 && status < 300) return true;
  if (TOO_LATE.has(status)) return false;
  throw failureOf({ status, headers, value: json?.value });
}
