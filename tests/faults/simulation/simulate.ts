import { runHistory, type Stage } from './run-history.js';

/** Range and time limit of a simulation. */
export interface SimulationOptions {
  readonly seed: number;
  /** No limit unless given. */
  readonly forMs?: number;
  readonly most: number;
}

/** Result of a simulation. */
export interface SimulationResult {
  readonly histories: number;
  /** The seed of the first history that went wrong, with what was wrong. */
  readonly failed: { readonly seed: number; readonly faults: readonly string[] } | null;
}

const TOGETHER = 40;

/** Plays histories of consecutive seeds until one goes wrong, the time is over, or there were enough. */
export async function simulate(
  stage: Stage,
  { seed, forMs = Number.POSITIVE_INFINITY, most }: SimulationOptions,
): Promise<SimulationResult> {
  const until = performance.now() + forMs;
  let histories = 0;
  while (histories < most && performance.now() < until) {
    // The invariants look at all tasks there are: a few histories at a time keep that quick.
    if (histories % TOGETHER === 0) {
      await empty(stage);
    }
    const faults = await runHistory(stage, seed + histories);
    if (faults.length > 0) {
      return { histories, failed: { seed: seed + histories, faults } };
    }
    histories += 1;
  }
  return { histories, failed: null };
}

/** Empties every table of the product, whichever there are; the catalog is part of the migrations. */
async function empty({ database }: Stage): Promise<void> {
  const { rows } = await database.pool.query<{ tables: string }>(
    `SELECT string_agg(format('public.%I', tablename), ', ') AS tables FROM pg_tables
      WHERE schemaname = 'public' AND tablename NOT IN ('_prisma_migrations', 'catalog_versions')`,
  );
  await database.pool.query(`TRUNCATE ${rows[0]?.tables} CASCADE`);
}
