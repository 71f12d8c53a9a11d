const DECIMAL = /^\$?\d{1,12}(\.\d{1,18})?$/;

/**
 * Reads a cost that an upstream states, in micro-dollars: a JSON number, or a text that is a decimal; null for anything else. The
 * function `acceptCost` judges whether it can be true.
 */
export function readCost(given: unknown, unitMicros: number): bigint | null {
  const units =
    typeof given === 'string' && DECIMAL.test(given.trim()) ? Number(given.trim().replace('$', '')) : given;
  if (typeof units !== 'number' || !(units >= 0)) {
    return null;
  }
  return BigInt(Math.min(Math.round(units * unitMicros), Number.MAX_SAFE_INTEGER));
}
