import type { Rate } from '@image-gateway/shared/config';

/** Returns the rate in two columns; null when the account has no limit of its own. */
export function toRate(limit: number | null, windowSeconds: number | null): Rate | null {
  return limit === null || windowSeconds === null ? null : { limit, windowSeconds };
}
