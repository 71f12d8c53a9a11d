/** Task that waits for a trial call. */
export interface WaitingTask {
  readonly id: string;
  readonly accountId: string;
}

/** TrialTurns of accounts at the trial calls that decide about a state which all of them share. */
export interface TrialTurns {
  /** Returns how many tasks of the same account are to come back before a task that begins to wait now. */
  readonly countAhead: (task: WaitingTask) => number;
  /** Notes that a task comes back after that many milliseconds. */
  readonly wait: (task: WaitingTask, forMs: number) => void;
  /**
   * Returns true when no task of another account that is due has a better claim. With `yields` a task goes after every other one,
   * those of its own account included.
   */
  readonly isFirst: (task: WaitingTask, options?: { readonly yields: boolean }) => boolean;
  /** Records how the last call of an account ended. */
  readonly record: (accountId: string, outcome: 'succeeded' | 'failed') => void;
}

/** Time for which a turn is kept for a task that does not come: another process may have it, or it was canceled. */
const GRACE_MS = 2_000;
const MAX_WAITING = 1_000;
const MAX_ACCOUNTS = 1_000;

/**
 * Creates the turns. An account whose last call succeeded goes first, then one that has not called, then the one whose call
 * failed longest ago. So an account whose every call fails delays a sound one by no more than one trial.
 */
export function createTrialTurns(now: () => number): TrialTurns {
  const waiting = new Map<string, { readonly accountId: string; readonly at: number }>();
  const last = new Map<string, { readonly at: number; readonly outcome: 'succeeded' | 'failed' }>();
  const isBefore = (one: string, other: string): boolean => {
    const [a, b] = [last.get(one), last.get(other)];
    const difference = getRank(a?.outcome) - getRank(b?.outcome);
    return difference === 0 ? (a?.at ?? 0) < (b?.at ?? 0) : difference < 0;
  };
  return {
    countAhead: ({ id, accountId }) =>
      [...waiting].filter(
        ([other, entry]) => other !== id && entry.accountId === accountId && entry.at > now(),
      ).length,
    wait: ({ id, accountId }, forMs) =>
      setBounded(waiting, id, { accountId, at: now() + forMs }, MAX_WAITING),
    isFirst: (task, { yields } = { yields: false }) => {
      for (const [id, { accountId, at }] of waiting) {
        if (at + GRACE_MS < now()) {
          waiting.delete(id);
        } else if (id !== task.id && at <= now() && (yields || isBefore(accountId, task.accountId))) {
          return false;
        }
      }
      return true;
    },
    record: (accountId, outcome) => setBounded(last, accountId, { at: now(), outcome }, MAX_ACCOUNTS),
  };
}

function getRank(outcome: 'succeeded' | 'failed' | undefined): number {
  return outcome === undefined ? 1 : outcome === 'succeeded' ? 0 : 2;
}

/** Sets an entry as the newest one, and removes the oldest above the maximum: strangers can make any number of accounts. */
export function setBounded<V>(map: Map<string, V>, key: string, value: V, max: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) {
    map.delete(oldest);
  }
}
