import type { CallRow } from '@image-gateway/shared/db';
import { traitsOf } from '../providers/errors.js';

/** The public reason for which a provider refused the task for good, or null: known from the calls, so that it also holds in a later attempt. */
export function refusalOf(calls: Iterable<CallRow>): string | null {
  for (const { state, detail } of calls) if (state === 'refused') return traitsOf(detail)?.reason ?? null;
  return null;
}
