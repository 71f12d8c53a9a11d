import { type Database, tellStatedCost } from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';

/** Call whose provider states a cost. */
export interface PricedCall {
  readonly provider: string;
  readonly model: string;
  /** Micro-dollars of an image by its route. */
  readonly listCostMicros: bigint;
  readonly images: number;
}

const MAX_TIMES = 20n;
const DOLLAR_MICROS = 1_000_000n;

/**
 * Returns the cost that a provider states, or null for one that cannot be true. That is more than twenty times the list cost,
 * and more than a dollar an image. The list cost counts then, and operators are told what was said. Otherwise one such answer
 * would lift the day above every ceiling.
 */
export async function acceptCost(
  db: Pick<Database, 'run'>,
  { provider, model, listCostMicros, images }: PricedCall,
  statedMicros: bigint,
): Promise<bigint | null> {
  const often = MAX_TIMES * listCostMicros;
  const maxMicros = (often > DOLLAR_MICROS ? often : DOLLAR_MICROS) * BigInt(images);
  if (statedMicros <= maxMicros) {
    return statedMicros;
  }
  const stated = formatDollars(statedMicros);
  await tellStatedCost(db, { provider, model, stated, most: formatDollars(maxMicros) });
  return null;
}
