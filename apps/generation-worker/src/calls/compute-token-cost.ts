import type { TokenCost } from '@image-gateway/shared/catalog/document';
import type { TokenUsage } from '../providers/port.js';

const MILLION = 1_000_000n;
/** More than any model takes or gives. */
const MAX_TOKENS = 10_000_000;

/** Returns what the tokens of a call cost in micro-dollars, rounded up; null for numbers that make no sense, or for none at all. */
export function computeTokenCost(tokens: TokenUsage, cost: TokenCost): bigint | null {
  const kinds = Object.keys(cost) as (keyof TokenCost)[];
  const isSound = kinds.every((kind) => Number.isSafeInteger(tokens[kind]) && tokens[kind] >= 0);
  const all = kinds.reduce((sum, kind) => sum + tokens[kind], 0);
  if (!isSound || all === 0 || all > MAX_TOKENS) {
    return null;
  }
  const micros = kinds.reduce((sum, kind) => sum + BigInt(tokens[kind]) * cost[kind], 0n);
  return (micros + MILLION - 1n) / MILLION;
}
