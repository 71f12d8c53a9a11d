import type { Wait } from './create-route-circuit.js';
import { createTrialTurns, setBounded, type TrialTurns, type WaitingTask } from './create-trial-turns.js';

/** Reason of a pause. */
export type PauseCause = 'rate-limit' | 'overload';

/** Sign that the end of a call gives about a pause. */
export type PauseSign =
  | 'succeeded'
  /** Failed without a word of a pause. */
  | 'failed'
  /** Ended or never made by our side. */
  | 'canceled'
  | { readonly cause: PauseCause; readonly askedMs: number | undefined };

/** Pause of a model or a key, for which its provider asked. */
export interface Pause {
  /** Returns how long a task has to wait; null when it may call now. With `inTurn` a trial call goes in turn by account. */
  readonly getWait: (task: WaitingTask, options: { readonly inTurn: boolean }) => Wait | null;
  /** Records that a call begins. The returned function must be called once. */
  readonly begin: (task: WaitingTask) => (sign: PauseSign) => void;
  /** Rest of the pause of all accounts, and its reason; null without one. */
  readonly report: () => { readonly leftMs: number; readonly cause: PauseCause } | null;
  readonly turns: Pick<TrialTurns, 'countAhead' | 'wait'>;
}

interface SharedPause {
  readonly until: number;
  readonly maxMs: number;
  readonly cause: PauseCause;
  /** Task that drew it; null once calls of several accounts did. */
  readonly by: WaitingTask | null;
}

interface OwnPause {
  readonly until: number;
  readonly ms: number;
  /** Until then its rate limits are its own. */
  readonly isOwnUntil: number;
}

const DEFAULT_MS = 5_000;
const MIN_MS = 1_000;
/** Longest pause that the answer to one account brings to all. */
const MAX_MS = 60_000;
/** Longest one when a second account has met it too, as with the quota of a day. */
const MAX_CONFIRMED_MS = 300_000;
const DISTRUST_MS = 600_000;
const PROBING_MS = 2_000;
const TURN_MS = 1_000;
const MAX_OWN = 10_000;

/**
 * Creates a pause, which begins with an answer that asks for one. After a bounded time one trial call renews or ends it, of another
 * account where one waits. A trial call that succeeds shows that the pause concerned the task or account that drew it. These
 * wait alone when they draw the next one.
 */
export function createPause(now: () => number): Pause {
  const turns = createTrialTurns(now);
  const own = new Map<string, OwnPause>();
  let shared: SharedPause | null = null;
  let isTrying = false;
  /** Longest pause of all by an account alone; halved when another account's trial call refutes one. */
  let trustedMs = MAX_MS;
  let refutedAt = Number.NEGATIVE_INFINITY;

  const bound = (askedMs: number | undefined, maxMs: number): number =>
    Math.min(maxMs, Math.max(MIN_MS, askedMs ?? DEFAULT_MS));
  const listNames = ({ id, accountId }: WaitingTask): readonly string[] => [
    `task ${id}`,
    `account ${accountId}`,
  ];
  const findOwn = (task: WaitingTask): (readonly [string, OwnPause])[] =>
    listNames(task).flatMap((name) => {
      const pause = own.get(name);
      return pause && pause.isOwnUntil > now() ? [[name, pause] as const] : [];
    });
  const setApart = (name: string, { until, ms }: Pick<OwnPause, 'until' | 'ms'>): void =>
    setBounded(own, name, { until, ms, isOwnUntil: Math.max(until, now()) + DISTRUST_MS }, MAX_OWN);

  const draw = (
    task: WaitingTask,
    { cause, askedMs }: Exclude<PauseSign, string>,
    isTrial: boolean,
  ): void => {
    const apart = findOwn(task);
    for (const [name, { ms }] of apart) {
      const next = Math.min(MAX_CONFIRMED_MS, Math.max(bound(askedMs, MAX_MS), 2 * ms));
      setApart(name, { until: now() + next, ms: next });
    }
    if (apart.length > 0) {
      return;
    }
    if (shared === null) {
      const maxMs = now() - refutedAt > DISTRUST_MS ? MAX_MS : trustedMs;
      shared = { until: now() + bound(askedMs, maxMs), maxMs, cause, by: task };
      return;
    }
    const isConfirmed = shared.by !== null && shared.by.accountId !== task.accountId;
    if (isTrial) {
      const maxMs = isConfirmed
        ? Math.min(MAX_CONFIRMED_MS, Math.max(MAX_MS, 2 * shared.maxMs))
        : shared.maxMs;
      shared = { until: now() + bound(askedMs, maxMs), maxMs, cause, by: task };
      return;
    }
    // Calls that were under way when it began.
    const until = Math.max(shared.until, now() + bound(askedMs, shared.maxMs));
    shared = { ...shared, until, by: isConfirmed ? null : shared.by };
  };

  /** Ends the pause by a call that was made although it had been asked for. */
  const refute = (by: WaitingTask | null, task: WaitingTask): void => {
    shared = null;
    if (by === null || by.id === task.id) {
      return;
    }
    setApart(`task ${by.id}`, { until: 0, ms: 0 });
    if (by.accountId !== task.accountId) {
      setApart(`account ${by.accountId}`, { until: 0, ms: 0 });
      trustedMs = Math.max(DEFAULT_MS, (now() - refutedAt > DISTRUST_MS ? MAX_MS : trustedMs) / 2);
      refutedAt = now();
    }
  };

  return {
    turns,
    report: () =>
      shared && shared.until > now() ? { leftMs: shared.until - now(), cause: shared.cause } : null,
    getWait: (task, { inTurn }) => {
      const ownMs = Math.max(0, ...findOwn(task).map(([, { until }]) => until - now()));
      const forMs = Math.max(ownMs, (shared?.until ?? 0) - now());
      if (forMs > 0) {
        return { forMs };
      }
      if (shared !== null && isTrying) {
        return { forMs: PROBING_MS, isTrial: true };
      }
      const yields = shared?.by?.id === task.id;
      return shared !== null && inTurn && !turns.isFirst(task, { yields }) ? { forMs: TURN_MS } : null;
    },
    begin: (task) => {
      const tried = isTrying ? null : shared;
      isTrying ||= tried !== null;
      return (sign) => {
        const isTrial = tried !== null && shared !== null;
        isTrying &&= tried === null;
        if (sign === 'canceled') {
          return;
        }
        turns.record(task.accountId, sign === 'succeeded' ? 'succeeded' : 'failed');
        if (typeof sign === 'object') {
          return draw(task, sign, isTrial);
        }
        if (sign === 'succeeded') {
          own.delete(`task ${task.id}`);
        }
        if (isTrial) {
          refute(sign === 'succeeded' ? (shared?.by ?? null) : null, task);
        }
      };
    },
  };
}
