import type { Rate } from '@image-gateway/shared/config';

/** Returns the rate that two columns hold; null when an account has none of its own. */
export function toRate(limit: number | null, windowSeconds: number | null): Rate | null {
  return limit === null || windowSeconds === null ? null : { limit, windowSeconds };
}
