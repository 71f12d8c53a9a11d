import type { Rate } from '@image-gateway/shared/config';
import type { LimitCheck } from '@image-gateway/shared/limits';
import ipaddr from 'ipaddr.js';

/** Returns the key of a client's address: an IPv4 address, also one written as IPv6, or the /64 network of an IPv6 one, since a customer has all of it. */
export function toAddressKey(address: string): string {
  const bare = address.split('%')[0] ?? '';
  if (!ipaddr.isValid(bare)) return bare === '' ? 'unknown' : bare;
  const parsed = ipaddr.process(bare);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** Budget of an IPv6 /48, which a provider gives to one customer, as a multiple of that of one /64 network. */
const NETWORKS_IN_SITE = 16;

/**
 * Returns the limits of a client's address: its own, and for IPv6 a budget of the /48 around it, sixteen times as large, since the
 * holder of a /48 has 65,536 networks of its own.
 */
export function getAddressLimits(
  policy: string,
  address: string,
  { limit, windowSeconds }: Rate,
): readonly LimitCheck[] {
  const key = toAddressKey(address);
  const own = { policy, key, limit, windowSeconds };
  if (!key.endsWith('/64')) return [own];
  const site = `${key.split(':').slice(0, 3).join(':')}::/48`;
  return [own, { policy: `${policy}-site`, key: site, limit: limit * NETWORKS_IN_SITE, windowSeconds }];
}
