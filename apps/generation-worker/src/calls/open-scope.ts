import { type Attempt, missingSlots } from '../attempt/attempt.js';
import type { CallScope } from '../providers/port.js';
import type { ResponseStore } from '../responses/create-response-store.js';

/** Opens the scope of a provider call; `close` gives back the memory of its responses. */
export function openScope(
  { responses }: { readonly responses: Pick<ResponseStore, 'open'> },
  attempt: Pick<Attempt, 'task' | 'outputs' | 'signal'>,
): { readonly scope: CallScope; readonly close: () => void } {
  const { signal, task } = attempt;
  const { receive, close } = responses.open({ key: task.accountId, signal });
  const isStored = (slot: number): boolean => !missingSlots(attempt).includes(slot);
  return { scope: { signal, isStored, receive }, close };
}
