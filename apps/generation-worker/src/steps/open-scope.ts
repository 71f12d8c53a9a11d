import { orAbort } from '../attempt/or-abort.js';
import type { CallScope } from '../providers/port.js';
import type { Permits } from '../work/create-permits.js';

/** Opens what a call runs in; `close` gives back the room for a large answer. */
export function openScope(
  { answerPermits }: { readonly answerPermits: Pick<Permits, 'acquire'> },
  signal: AbortSignal,
): { readonly scope: CallScope; readonly close: () => void } {
  let admitted: Promise<() => void> | undefined;
  return {
    scope: {
      signal,
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
