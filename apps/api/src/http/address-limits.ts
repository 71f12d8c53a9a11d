import { isIP } from 'node:net';
import type { Rate } from '@image-gateway/shared/config';
import type { LimitCheck } from '@image-gateway/shared/limits';

/** What of a client's address is limited: an IPv4 address, also one written as IPv6, or the /64 network of an IPv6 one, since a customer has all of it. */
export function toAddressKey(address: string): string {
  const bare = address.split('%')[0] ?? '';
  if (isIP(bare) !== 6) return bare === '' ? 'unknown' : bare;
  const groups = expand(bare);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (!isMapped)
    return `${groups
      .slice(0, 4)
      .map((group) => group.toString(16))
      .join(':')}::/64`;
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** Share of an IPv6 /48, which a provider gives one customer, in numbers of /64 networks. */
const NETWORKS_IN_SITE = 16;

/**
 * Limits of a client's address: its own, and for IPv6 a budget of the /48 around it, sixteen times as large, since the
 * holder of a /48 has 65,536 networks of its own.
 */
export function getAddressLimits(
  policy: string,
  address: string,
  { limit, windowSeconds }: Rate,
): readonly LimitCheck[] {
  const subject = toAddressKey(address);
  const own = { policy, key: subject, limit, windowSeconds };
  if (!subject.endsWith('/64')) return [own];
  const site = `${subject.split(':').slice(0, 3).join(':')}::/48`;
  return [own, { policy: `${policy}-site`, key: site, limit: limit * NETWORKS_IN_SITE, windowSeconds }];
}

/** The eight groups of an IPv6 address; URL has already turned an IPv4 part at the end into two of them. */
function expand(address: string): number[] {
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = text.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array<string>(zeros).fill('0'), ...right].map((group) => Number.parseInt(group, 16));
}
