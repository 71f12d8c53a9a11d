import { isIP } from 'node:net';

/** Values of Express' `trust proxy`: all, none, a number of hops, or addresses and subnets. */
export type TrustProxy = boolean | number | readonly string[];

const RANGES = ['loopback', 'linklocal', 'uniquelocal'];

/** Parses `TRUST_PROXY`, which takes the values of Express and `off`; throws an Error that says what is expected. */
export function parseTrustProxy(text: string): TrustProxy {
  const word = text.toLowerCase();
  if (word === 'true') {
    return true;
  }
  if (word === 'false' || word === 'off') {
    return false;
  }
  if (/^\d{1,3}$/.test(word)) {
    return Number(word);
  }
  const entries = text.split(',').map((entry) => entry.trim());
  if (!entries.every((entry) => RANGES.includes(entry) || isSubnet(entry))) {
    throw new Error(
      'must be true, false, a number of hops, or a list of addresses, subnets, loopback, linklocal and uniquelocal',
    );
  }
  return entries;
}

/** Returns true for an address, alone or with a prefix length or an IPv4 netmask. */
function isSubnet(entry: string): boolean {
  const [address = '', range, ...more] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) {
    return false;
  }
  const isPrefix = /^\d{1,3}$/.test(range ?? '') && Number(range) <= (family === 4 ? 32 : 128);
  return range === undefined || isPrefix || (family === 4 && isIP(range) === 4);
}
