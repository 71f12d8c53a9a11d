import type { Statement } from '@image-gateway/shared/db';
import { createLogger } from '@image-gateway/shared/logging';
import { createMetrics } from '@image-gateway/shared/metrics';
import { describe, expect, test } from '@jest/globals';
import { type Claim, createClaims } from './create-claims.js';
import { createDueClaiming } from './create-due-claiming.js';
import { createWorkerPool } from './create-worker-pool.js';

const SLOTS = 8;
const COMMON = 7;
const SEARCH_FEW = 'claim-few-in-turns';

/** Claiming over a database that has so many due tasks of one account. `onSearch` is called with the accounts that get nothing. */
function createWorld({ due, onSearch }: { due: number; onSearch?: (blocked: readonly string[]) => void }) {
  const metrics = createMetrics('test');
  const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });
  const pool = createWorkerPool({ slots: SLOTS, logger, metrics });
  const world = { due, searches: [] as unknown[], ends: [] as (() => void)[] };
  const run = async ({ name }: Statement, values: readonly unknown[]): Promise<never[]> => {
    if (name !== SEARCH_FEW) {
      return [];
    }
    const [, , , limit, overdueMs, next, blocked] = values as [0, 0, 0, number, number, string, string[]];
    world.searches.push(overdueMs);
    onSearch?.(blocked);
    const count = blocked.includes('whale') ? 0 : Math.min(limit, world.due);
    world.due -= count;
    const row = { due: count, next, id: count > 0 ? 'gen_1' : null, accountId: 'whale' };
    return Array.from({ length: Math.max(1, count) }, () => row) as unknown[] as never[];
  };
  const terms = { workerId: 'a', leaseMs: 1_000, maxTries: 3 };
  const claims = createClaims({
    db: { run },
    terms,
    metrics,
    slots: SLOTS,
    now: () => performance.now(),
    expiredEveryMs: Number.POSITIVE_INFINITY,
  });
  const process = async (claim: Claim): Promise<void> => {
    await new Promise<void>((resolve) => world.ends.push(resolve));
    claim.end();
  };
  const { signal } = new AbortController();
  const round = createDueClaiming({
    claims,
    pool,
    process,
    queueIsReady: () => true,
    sweepMs: 1_000,
    signal,
  });
  return { ...world, world, round };
}
const isSoon = (promise: Promise<void>): Promise<boolean> =>
  Promise.race([
    promise.then(() => true),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 700)),
  ]);

describe('create due claiming', () => {
  test('rounds of claims follow each other at once before a backlog, even when a slot was freed while only the reserved ones were searched for', async () => {
    let endTask = (): void => undefined;
    const { world, round } = createWorld({ due: 20, onSearch: (blocked) => blocked.length > 0 && endTask() });
    await round();
    expect(world.ends).toHaveLength(COMMON);
    // It ends in the middle of the next round, which finds nothing for other accounts.
    endTask = () => {
      world.ends.shift()?.();
      endTask = () => undefined;
    };
    expect(await isSoon(round())).toBe(true);
    expect(await isSoon(round())).toBe(true);
    expect([world.ends.length, world.due]).toEqual([COMMON, 12]);
  });

  test('rounds of claims wait, and leave new tasks to hints, once nothing is due', async () => {
    const { world, round } = createWorld({ due: 0 });
    expect(await isSoon(round())).toBe(false);
    await isSoon(round());
    expect(world.searches).toEqual([0, 1_000]);
  });
});
