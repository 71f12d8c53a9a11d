import type { Amounts } from '../catalog/document/index.js';
import type { DollarsByQuality } from '../contract/index.js';
import { formatDollars } from '../money/index.js';

/** Presents prices or costs by resolution: as dollars, or as dollars by quality. */
export function presentAmounts(amounts: Amounts): Readonly<Record<string, DollarsByQuality>> {
  return Object.fromEntries(
    Object.entries(amounts).map(([resolution, amount]) => [
      resolution,
      typeof amount === 'bigint'
        ? formatDollars(amount)
        : Object.fromEntries(
            Object.entries(amount).map(([quality, micros]) => [quality, formatDollars(micros)]),
          ),
    ]),
  );
}
