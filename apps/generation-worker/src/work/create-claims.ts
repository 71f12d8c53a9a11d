import {
  type ClaimedTask,
  type ClaimTerms,
  claimExpiredTasks,
  claimInTurns,
  claimTask,
  type Database,
} from '@image-gateway/shared/db';
import type { Metrics } from '@image-gateway/shared/metrics';
import pLimit from 'p-limit';
import type { Claim } from '../attempt/open-attempt.js';

/** What claiming needs. */
export interface ClaimDeps {
  readonly db: Pick<Database, 'run'>;
  readonly terms: ClaimTerms;
  readonly metrics: Pick<Metrics, 'sweeps'>;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** How many tasks this process runs at a time. */
  readonly places: number;
  /** How often tasks of dead workers are looked for, in milliseconds. */
  readonly expiredEveryMs: number;
}

/** How this process comes by tasks. Every claim that it gives out must be given back by `done`. */
export interface Claims {
  /** The task that a hint names; null when there is nothing to claim, or when its account has to wait for its turn. */
  readonly byHint: (taskId: string) => Promise<Claim | null>;
  /** Up to `limit` tasks straight from the database: those whose worker died or hung, and those due for `overdueMs`, the accounts in turns. */
  readonly direct: (options: { readonly limit: number; readonly overdueMs: number }) => Promise<Claim[]>;
  readonly done: (claim: Claim) => void;
  /** Whether tasks may be waiting although there are free places: those are kept for accounts that have nothing running here. */
  readonly isHoldingBack: () => boolean;
}

const KEPT_SHARE = 1 / 8;

/**
 * Makes the claims of a process. Its last places are kept for accounts that have nothing running in it: however much one
 * account submits, and however long that takes, the first task of another one begins at once.
 */
export function createClaims({ db, terms, metrics, now, places, expiredEveryMs }: ClaimDeps): Claims {
  const common = places - (places > 1 ? Math.ceil(places * KEPT_SHARE) : 0);
  const runningOf = new Map<string, number>();
  const underWay = new Set<Promise<unknown>>();
  const oneByOne = pLimit(1);
  let running = 0;
  let cursor = '';
  let expiredAt = Number.NEGATIVE_INFINITY;

  const begin = (task: ClaimedTask, sentAt: number): Claim => {
    running++;
    runningOf.set(task.accountId, (runningOf.get(task.accountId) ?? 0) + 1);
    return { task, sentAt, answeredAt: now() };
  };
  const claimOne = async (taskId: string, barred: readonly string[]): Promise<Claim | null> => {
    const sentAt = now();
    const claiming = claimTask(db, terms, taskId, barred);
    underWay.add(claiming);
    try {
      const task = await claiming;
      return task && begin(task, sentAt);
    } finally {
      underWay.delete(claiming);
    }
  };
  const claimSome = async (what: string, claim: () => Promise<ClaimedTask[]>): Promise<Claim[]> => {
    const sentAt = now();
    const tasks = await claim();
    if (tasks.length > 0) metrics.sweeps.inc({ what }, tasks.length);
    return tasks.map((task) => begin(task, sentAt));
  };
  const inTurns = async (
    limit: number,
    overdueMs: number,
    bar: { readonly barred: readonly string[]; readonly perAccount: number },
  ): Promise<Claim[]> => {
    const claims: Claim[] = [];
    for (const after of cursor === '' ? [''] : [cursor, '']) {
      const left = limit - claims.length;
      if (left <= 0) break;
      const some = await claimSome('claimed-overdue', () =>
        claimInTurns(db, terms, { limit: left, overdueMs, after, ...bar }),
      );
      const accounts = some.map(({ task }) => task.accountId).sort();
      cursor = some.length < left ? '' : (accounts.at(-1) ?? '');
      claims.push(...some);
    }
    return claims;
  };

  return {
    byHint: (taskId) => {
      if (running + underWay.size < common) return claimOne(taskId, []);
      return oneByOne(async () => {
        // Whose tasks run here must be known before a kept place is given away.
        await Promise.allSettled(underWay);
        return claimOne(taskId, running < common ? [] : [...runningOf.keys()]);
      });
    },
    direct: async ({ limit, overdueMs }) => {
      const claims: Claim[] = [];
      if (now() - expiredAt >= expiredEveryMs) {
        expiredAt = now();
        claims.push(...(await claimSome('claimed-expired', () => claimExpiredTasks(db, terms, { limit }))));
      }
      const room = Math.min(limit - claims.length, common - running - underWay.size);
      if (room > 0) claims.push(...(await inTurns(room, overdueMs, { barred: [], perAccount: room })));
      const kept = Math.min(limit - claims.length, places - running - underWay.size);
      if (running >= common && kept > 0) {
        const bar = { barred: [...runningOf.keys()], perAccount: 1 };
        claims.push(...(await inTurns(kept, overdueMs, bar)));
      }
      return claims;
    },
    done: ({ task: { accountId } }) => {
      running--;
      const left = (runningOf.get(accountId) ?? 1) - 1;
      if (left > 0) runningOf.set(accountId, left);
      else runningOf.delete(accountId);
    },
    isHoldingBack: () => running >= common,
  };
}
