import { createSemaphore } from '@image-gateway/shared/concurrency';
import {
  type ClaimedTask,
  type ClaimTerms,
  claimExpiredTasks,
  claimFewInTurns,
  claimInTurns,
  claimTask,
  type Database,
  type Turns,
} from '@image-gateway/shared/db';
import type { Metrics } from '@image-gateway/shared/metrics';

/** Dependencies of claiming. */
export interface ClaimDeps {
  readonly db: Pick<Database, 'run'>;
  readonly terms: ClaimTerms;
  readonly metrics: Pick<Metrics, 'sweeps'>;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Number of tasks that this process runs at a time. */
  readonly slots: number;
  /** Interval between searches for tasks of dead workers, in milliseconds. */
  readonly expiredEveryMs: number;
}

/** Claimed task that must be ended, and when its claim was sent and answered, by the monotonic clock. */
export interface Claim {
  readonly task: ClaimedTask;
  readonly sentAt: number;
  readonly answeredAt: number;
  /** Frees the slot of the account. */
  readonly end: () => void;
}

/** Claim before the task is due, if `afterAttempt` was its last attempt. */
export interface EarlyClaim {
  readonly afterAttempt: number;
}

/** Result of a search for due tasks. */
export interface DueClaims {
  readonly claims: readonly Claim[];
  /** True when the search was for tasks of every account and found none. */
  readonly isNothingDue: boolean;
}

/** Source of the tasks of this process. */
export interface Claims {
  /** Claims the task of a hint; null when there is nothing to claim, or when its account has to wait for its turn. */
  readonly claimHinted: (taskId: string, early?: EarlyClaim) => Promise<Claim | null>;
  /**
   * Claims up to `limit` tasks straight from the database: those whose worker died or hung, and those due for `overdueMs`, the
   * accounts in turns.
   */
  readonly claimDue: (options: { readonly limit: number; readonly overdueMs: number }) => Promise<DueClaims>;
  /**
   * Counts a running task of an account that loads its input images, until the returned function is called. Returns null when
   * half of the slots do so for that account.
   */
  readonly startLoading: (accountId: string) => (() => void) | null;
}

const RESERVED_SHARE = 1 / 8;
// A large worker frees a slot many times a second. More idle ones would only cost it throughput.
const MAX_RESERVED = 16;
// 10,000 accounts with nothing due take PostgreSQL some 40 ms.
const ACCOUNTS_A_PAGE = 2_000;
const MAX_PAGES = 5;
const LOADING_SHARE = 1 / 2;

/**
 * Creates the claims of a process. Its last slots are reserved for accounts that have nothing running in it. However much one
 * account submits, the first task of another account begins at once. Loading input images costs a customer nothing.
 * Therefore tasks that do so hold at most half of the slots for one account, which meanwhile gets no further task here.
 */
export function createClaims({ db, terms, metrics, now, slots, expiredEveryMs }: ClaimDeps): Claims {
  const common = slots - (slots > 1 ? Math.min(Math.ceil(slots * RESERVED_SHARE), MAX_RESERVED) : 0);
  const maxLoading = Math.max(1, Math.floor(slots * LOADING_SHARE));
  const runningTasks = new Map<string, number>();
  const loadingTasks = new Map<string, number>();
  const pendingClaims = new Set<Promise<unknown>>();
  const serial = createSemaphore({ permits: 1 });
  let running = 0;
  let cursor = '';
  let expiredAt = Number.NEGATIVE_INFINITY;

  const loadingFull = (): string[] =>
    [...loadingTasks].flatMap(([accountId, loading]) => (loading < maxLoading ? [] : [accountId]));
  /** Accounts that get no reserved slot. A single edit that waits for its images does not keep its account from one. */
  const busyAccounts = (): string[] =>
    [...runningTasks].flatMap(([accountId, tasks]) => {
      const loading = loadingTasks.get(accountId) ?? 0;
      return tasks === 1 && loading === 1 && maxLoading > 1 ? [] : [accountId];
    });
  const begin = (task: ClaimedTask, sentAt: number): Claim => {
    running++;
    count(runningTasks, task.accountId, 1);
    const end = (): void => {
      running--;
      count(runningTasks, task.accountId, -1);
    };
    return { task, sentAt, answeredAt: now(), end };
  };
  const claimOne = async (
    taskId: string,
    blocked: readonly string[],
    early: EarlyClaim | undefined,
  ): Promise<Claim | null> => {
    const sentAt = now();
    const claiming = claimTask(db, terms, taskId, { blocked, ...early });
    pendingClaims.add(claiming);
    try {
      const task = await claiming;
      return task && begin(task, sentAt);
    } finally {
      pendingClaims.delete(claiming);
    }
  };
  const beginAll = (what: string, tasks: readonly ClaimedTask[], sentAt: number): Claim[] => {
    if (tasks.length > 0) {
      metrics.sweeps.inc({ what }, tasks.length);
    }
    return tasks.map((task) => begin(task, sentAt));
  };
  const claimExpired = async (limit: number): Promise<Claim[]> => {
    const sentAt = now();
    return beginAll('claimed-expired', await claimExpiredTasks(db, terms, { limit }), sentAt);
  };
  const claimTurns = async (
    limit: number,
    overdueMs: number,
    bar: { readonly blocked: readonly string[]; readonly perAccount: number },
  ): Promise<Claim[]> => {
    const take = async (claim: () => Promise<Turns | null>): Promise<Claim[] | null> => {
      const sentAt = now();
      const turns = await claim();
      if (turns === null) {
        return null;
      }
      cursor = turns.next;
      return beginAll('claimed-overdue', turns.tasks, sentAt);
    };
    const few = await take(() => claimFewInTurns(db, terms, { limit, overdueMs, after: cursor, ...bar }));
    if (few) {
      return few;
    }
    const claims: Claim[] = [];
    // A walk that begins in the middle continues with the first account, and ends at the last one.
    let ends = cursor === '' ? 1 : 0;
    for (let page = 0; page < MAX_PAGES && claims.length < limit; page++) {
      const turn = { limit: limit - claims.length, overdueMs, after: cursor, ...bar };
      const some = await take(() => claimInTurns(db, terms, { ...turn, maxVisited: ACCOUNTS_A_PAGE }));
      claims.push(...(some ?? []));
      if (cursor === '') {
        ends += 1;
      }
      if (ends > 1) {
        break;
      }
    }
    return claims;
  };

  return {
    claimHinted: (taskId, early) => {
      if (running + pendingClaims.size < common) {
        return claimOne(taskId, loadingFull(), early);
      }
      return serial.run(async () => {
        // The accounts that run here must be known before a reserved slot is used.
        await Promise.allSettled(pendingClaims);
        return claimOne(taskId, running < common ? loadingFull() : busyAccounts(), early);
      });
    },
    claimDue: async ({ limit, overdueMs }) => {
      const claims: Claim[] = [];
      if (now() - expiredAt >= expiredEveryMs) {
        expiredAt = now();
        claims.push(...(await claimExpired(limit)));
      }
      const room = Math.min(limit - claims.length, common - running - pendingClaims.size);
      const blocked = loadingFull();
      if (room > 0) {
        claims.push(...(await claimTurns(room, overdueMs, { blocked, perAccount: room })));
      }
      const reserved = Math.min(limit - claims.length, slots - running - pendingClaims.size);
      if (running >= common && reserved > 0) {
        const bar = { blocked: busyAccounts(), perAccount: 1 };
        claims.push(...(await claimTurns(reserved, overdueMs, bar)));
      }
      return { claims, isNothingDue: room > 0 && blocked.length === 0 && claims.length === 0 };
    },
    startLoading: (accountId) => {
      if ((loadingTasks.get(accountId) ?? 0) >= maxLoading) {
        return null;
      }
      count(loadingTasks, accountId, 1);
      return () => count(loadingTasks, accountId, -1);
    },
  };
}

function count(counts: Map<string, number>, accountId: string, by: 1 | -1): void {
  const left = (counts.get(accountId) ?? 0) + by;
  if (left > 0) {
    counts.set(accountId, left);
  } else {
    counts.delete(accountId);
  }
}
