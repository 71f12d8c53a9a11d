import type { Rate } from '@image-gateway/shared/config';
import type { RateLimiter } from '@image-gateway/shared/limits';
import type { RequestHandler } from 'express';
import { getAddressLimits } from './address-limits.js';
import { rateLimitError, writeRateHeaders } from './rate-headers.js';

/** Paths that need no key and have no limit of their own: result files, the documentation, the pages of the dashboard. */
const OPEN = /^\/(files|docs|dashboard)(\/|$)/;
const HAS_OWN_LIMIT = /^\/dashboard\/(api|board)(\/|$)/;

/** Limits the requests of an address to everything that is served without a key; a rate of null switches the limit off. */
export function limitOpenPaths({
  limiter,
  rate,
}: {
  readonly limiter: RateLimiter;
  readonly rate: Rate | null;
}): RequestHandler {
  return (request, response, next) => {
    if (!rate || !OPEN.test(request.path) || HAS_OWN_LIMIT.test(request.path)) return next();
    limiter.consume(getAddressLimits('files', request.ip ?? '', rate)).then((decision) => {
      if (decision.allowed) return next();
      writeRateHeaders(response, decision);
      next(rateLimitError(decision));
    }, next);
  };
}
