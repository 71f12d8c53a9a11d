import { type CircuitBreaker, createCircuitBreaker } from '@image-gateway/shared/concurrency';
import { createTrialTurns, setBounded, type TrialTurns, type WaitingTask } from './create-trial-turns.js';

/** How a call ended, for the circuits of its route. */
export type CircuitOutcome =
  | 'succeeded'
  /** An answer that says nothing against the route, such as a refused prompt. */
  | 'answered'
  /** An answer, or none to a request that was sent: the request may be the cause. */
  | 'failed'
  /** No connection: no request can be the cause. */
  | 'unreachable'
  /** Ended or never made by our side. */
  | 'canceled';

/** Wait of a task before its next call; `isTrial` while a trial call is under way. */
export interface Wait {
  readonly forMs: number;
  readonly isTrial?: true;
}

/** Circuits of one route: its own, and one for each account whose calls fail. */
export interface RouteCircuit {
  readonly state: () => 'closed' | 'open' | 'half-open';
  /** Number of accounts whose own circuits are not closed. */
  readonly countAccounts: () => number;
  /** Returns how long a task has to wait for its next look; null when it may call now. */
  readonly getWait: (task: WaitingTask) => Wait | null;
  /** Records that a call of an account begins. The returned function must be called once. */
  readonly begin: (accountId: string) => (outcome: CircuitOutcome) => void;
  readonly turns: Pick<TrialTurns, 'countAhead' | 'wait'>;
}

/** Failures since the last success. */
interface Streak {
  readonly sinceMs: number;
  readonly failures: number;
  readonly accountId: string;
  readonly atMs: number;
  /** Last failure of another account than that one; null without one. */
  readonly otherAtMs: number | null;
}

const MAX_FAILURES = 5;
const FIRST_BREAK_MS = 5_000;
const MAX_BREAK_MS = 60_000;
/** Shortest time in which calls of several accounts fail, and none succeeds, before the route is taken for the cause. */
const WINDOW_MS = 30_000;
const PROBING_MS = 2_000;
const TURN_MS = 1_000;
/** Accounts whose circuits are kept; an evicted one may fail as often again. */
const MAX_ACCOUNTS = 1_000;
const WEIGHT_OF_NEWEST = 0.2;

const getBreakMs = (attempt: number): number => Math.min(MAX_BREAK_MS, FIRST_BREAK_MS * 2 ** (attempt - 1));

/**
 * Creates the circuits of a route. Failures that a request can cause open the circuit of its account only, after five in a row.
 * That of the route opens after five calls in a row without a connection. It also opens when calls of at least two accounts have
 * failed for a while and none succeeded. Its trial calls go in turn by account, so that a sound one closes it.
 */
export function createRouteCircuit(now: () => number): RouteCircuit {
  const accounts = new Map<string, CircuitBreaker>();
  const turns = createTrialTurns(now);
  let state: 'closed' | 'open' | 'half-open' = 'closed';
  let openings = 0;
  let openUntil = 0;
  /** Rises when the circuit opens: failures of calls that began before tell nothing new. */
  let epoch = 0;
  let unreachable = 0;
  let streak: Streak | null = null;
  let usualMs = 0;

  const open = (): void => {
    state = 'open';
    epoch += 1;
    openings += 1;
    openUntil = now() + getBreakMs(openings);
    streak = null;
    unreachable = 0;
  };
  const close = (): void => {
    state = 'closed';
    openings = 0;
    streak = null;
    unreachable = 0;
  };
  const getWindowMs = (): number => Math.max(WINDOW_MS, 2 * usualMs);
  /** Returns the rest of the time after which failures of several accounts open the circuit; null while they are those of one. */
  const getSuspectMs = (): number | null => {
    const isOfSeveral =
      state === 'closed' && streak?.otherAtMs != null && streak.otherAtMs >= now() - 2 * getWindowMs();
    return streak && isOfSeveral ? streak.sinceMs + getWindowMs() - now() : null;
  };
  /** Opens the circuit when the time is over, before the trial calls of all those accounts begin together. */
  const judge = (): void => {
    if ((getSuspectMs() ?? 1) <= 0 && (streak?.failures ?? 0) >= MAX_FAILURES) {
      open();
    }
  };
  const countFailure = (accountId: string): void => {
    const former = streak && now() - streak.atMs <= 2 * getWindowMs() ? streak : null;
    const isOther = former !== null && former.accountId !== accountId;
    streak = {
      sinceMs: former?.sinceMs ?? now(),
      failures: (former?.failures ?? 0) + 1,
      accountId,
      atMs: now(),
      otherAtMs: isOther ? former.atMs : (former?.otherAtMs ?? null),
    };
  };
  const endOwn = (accountId: string, begun: ReturnType<CircuitBreaker['begin']> | undefined) => {
    return (outcome: CircuitOutcome): void => {
      const isSound = outcome === 'succeeded' || outcome === 'answered';
      begun?.(isSound ? 'succeeded' : outcome === 'failed' ? 'failed' : 'canceled');
      const known = accounts.get(accountId);
      if (isSound && known?.state() === 'closed') {
        accounts.delete(accountId);
      }
      if (outcome === 'failed' && begun === undefined) {
        const breaker =
          known ?? createCircuitBreaker({ maxFailures: MAX_FAILURES, breakMs: getBreakMs, now });
        if (breaker.state() === 'closed') {
          breaker.begin()('failed');
        }
        setBounded(accounts, accountId, breaker, MAX_ACCOUNTS);
      }
    };
  };

  return {
    state: () => {
      judge();
      return state;
    },
    countAccounts: () => [...accounts.values()].filter((breaker) => breaker.state() !== 'closed').length,
    turns,
    getWait: (task) => {
      judge();
      const own = accounts.get(task.accountId);
      const isOwnTrial = own?.state() === 'half-open';
      // While nobody has succeeded, the end of that time shows whether the account or the route is the cause.
      const ownMs = own?.state() === 'open' ? Math.max(own.leftMs(), getSuspectMs() ?? 0) : 0;
      const routeMs = state === 'open' ? openUntil - now() : 0;
      const forMs = Math.max(ownMs, routeMs);
      if (forMs > 0) {
        return { forMs };
      }
      if (state === 'half-open' || isOwnTrial) {
        return { forMs: PROBING_MS, isTrial: true };
      }
      return state === 'open' && !turns.isFirst(task) ? { forMs: TURN_MS } : null;
    },
    begin: (accountId) => {
      const isTrial = state === 'open';
      const begunIn = epoch;
      const begunAt = now();
      const end = endOwn(accountId, accounts.get(accountId)?.begin());
      if (isTrial) {
        state = 'half-open';
      }
      return (outcome) => {
        end(outcome);
        if (outcome === 'canceled') {
          // Nothing was learned: the next trial call is not put off further.
          if (isTrial && state === 'half-open') {
            state = 'open';
            openUntil = now() + FIRST_BREAK_MS;
          }
          return;
        }
        const isSound = outcome === 'succeeded' || outcome === 'answered';
        turns.record(accountId, isSound ? 'succeeded' : 'failed');
        if (outcome === 'succeeded') {
          usualMs += (now() - begunAt - usualMs) * (usualMs === 0 ? 1 : WEIGHT_OF_NEWEST);
        }
        if (isSound) {
          return close();
        }
        if (isTrial && state === 'half-open') {
          return open();
        }
        if (state !== 'closed' || begunIn !== epoch) {
          return;
        }
        countFailure(accountId);
        unreachable = outcome === 'unreachable' ? unreachable + 1 : 0;
        if (unreachable >= MAX_FAILURES) {
          return open();
        }
        judge();
      };
    },
  };
}
