import type { Reason } from '@image-gateway/shared/contract';
import type { CallRow } from '@image-gateway/shared/db';
import { getFailureTraits } from '../providers/failures.js';

/** Returns the public reason of a final refusal, or null. It follows from the calls alone, so that it also holds in later attempts. */
export function findRefusal(calls: Iterable<CallRow>): Reason | null {
  const answers = new Map<string, number>();
  for (const { detail, slots } of calls) {
    const traits = getFailureTraits(detail);
    if (traits === null || traits.finalAfter === null) {
      continue;
    }
    for (const slot of slots) {
      const image = `${detail} ${slot}`;
      const count = (answers.get(image) ?? 0) + 1;
      if (count >= traits.finalAfter) {
        return traits.reason;
      }
      answers.set(image, count);
    }
  }
  return null;
}
