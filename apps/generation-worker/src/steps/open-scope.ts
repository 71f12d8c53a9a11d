import { type Attempt, missingSlots } from '../attempt/attempt.js';
import { orAbort } from '../attempt/or-abort.js';
import type { CallScope } from '../providers/port.js';
import type { Permits } from '../work/create-permits.js';

/** Opens what a call of an attempt runs in; `close` gives back the room for a large answer. */
export function openScope(
  { answerPermits }: { readonly answerPermits: Pick<Permits, 'acquire'> },
  attempt: Pick<Attempt, 'task' | 'outputs' | 'signal'>,
): { readonly scope: CallScope; readonly close: () => void } {
  const { signal } = attempt;
  let admitted: Promise<() => void> | undefined;
  return {
    scope: {
      signal,
      isStored: (slot) => !missingSlots(attempt).includes(slot),
      admitLarge: async () => {
        admitted ??= answerPermits.acquire(1);
        await orAbort(admitted, signal);
      },
    },
    close: () => {
      admitted?.then((release) => release()).catch(() => undefined);
    },
  };
}
