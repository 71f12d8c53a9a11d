import type { Amounts } from '@image-gateway/shared/catalog/document';
import type { DollarsByQuality } from '@image-gateway/shared/contract';
import { formatDollars } from '@image-gateway/shared/money';

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
