import { isIP } from 'node:net';

/** What of a client's address is limited: an IPv4 address, also one written as IPv6, or the /64 network of an IPv6 one, since a customer has all of it. */
export function limitSubject(address: string): string {
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

/** The eight groups of an IPv6 address; URL has already turned an IPv4 part at the end into two of them. */
function expand(address: string): number[] {
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = text.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array<string>(zeros).fill('0'), ...right].map((group) => Number.parseInt(group, 16));
}
