import { isIPv6 } from 'node:net';
import type { Rate } from '@image-gateway/shared/config';
import type { LimitCheck, RateLimiter } from '@image-gateway/shared/limits';
import type { RequestHandler } from 'express';
import ipaddr from 'ipaddr.js';
import { getState } from './framework/request-state.js';
import { rateLimitError, writeRateHeaders } from './rate-limits.js';

/**
 * Returns the key of a canonical client address. An IPv4 address is its own key. The key of an IPv6 address is its /64 network,
 * since a customer has all of it.
 */
export function toAddressKey(address: string): string {
  if (!isIPv6(address)) {
    return address === '' ? 'unknown' : address;
  }
  return `${ipaddr.IPv6.parse(address)
    .parts.slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** Budget of an IPv6 /48, which a provider gives to one customer, as a multiple of that of one /64 network. */
const NETWORKS_IN_SITE = 16;

/**
 * Returns the limits of a client's address: its own, and for IPv6 a budget of the /48 around it. That one is sixteen times as
 * large, since the holder of a /48 has 65,536 networks of its own.
 */
export function getAddressLimits(
  policy: string,
  address: string,
  { limit, windowSeconds }: Rate,
): readonly LimitCheck[] {
  const key = toAddressKey(address);
  const own = { policy, key, limit, windowSeconds };
  if (!key.endsWith('/64')) {
    return [own];
  }
  const site = `${key.split(':').slice(0, 3).join(':')}::/48`;
  return [own, { policy: `${policy}-site`, key: site, limit: limit * NETWORKS_IN_SITE, windowSeconds }];
}

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
    if (!rate || !OPEN.test(request.path) || HAS_OWN_LIMIT.test(request.path)) {
      return next();
    }
    limiter.consume(getAddressLimits('files', getState(request).address, rate)).then((decision) => {
      if (decision.allowed) {
        return next();
      }
      writeRateHeaders(response, decision);
      next(rateLimitError(decision));
    }, next);
  };
}
