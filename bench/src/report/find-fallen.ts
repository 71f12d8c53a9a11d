import { median } from './median.js';
import { nameScore, type Score } from './run.js';

/** Share of a recorded ratio by which it may fall. */
export const ALLOWED_FALL = 0.1;

/** A ratio that is lower than the recorded one. */
export interface Fallen {
  readonly scene: string;
  readonly what: string;
  readonly recorded: number;
  /** 0 where the run did not measure it. */
  readonly measured: number;
}

/**
 * Compares the ratios of the product with the recorded ones, each by the median of its rounds. Returns those that fell by more than
 * `allowed`, and those that a measured scene lacks.
 */
export function findFallen(
  recorded: readonly Score[],
  measured: readonly Score[],
  allowed = ALLOWED_FALL,
): Fallen[] {
  const scenes = new Set(measured.map(({ scene }) => scene));
  const found = new Map(measured.map((score) => [nameScore(score), score]));
  return recorded
    .filter(({ scene, name }) => scenes.has(scene) && isProduct(name))
    .flatMap((score) =>
      Object.entries(score.ratios ?? {}).map(([baseline, rounds]) => ({
        scene: score.scene,
        what: `${nameScore(score)} of ${baseline}`,
        recorded: median(rounds),
        measured: median(found.get(nameScore(score))?.ratios?.[baseline] ?? []),
      })),
    )
    .filter((one) => one.measured < one.recorded * (1 - allowed));
}

/** Tells the product from its baselines. */
export const isProduct = (name: string): boolean => /^product(,|$)/.test(name);
