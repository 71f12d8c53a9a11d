import { isIP } from 'node:net';
import type { Setting } from '@image-gateway/shared/config';

/** What Express' `trust proxy` takes: everybody, nobody, a number of hops, or addresses and subnets. */
export type TrustProxy = boolean | number | readonly string[];

const NAMED = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** The setting `TRUST_PROXY`, with Express' values: `true`, `false`, a number of hops, or a list of addresses, subnets and `loopback`, `linklocal`, `uniquelocal`. */
export const trustProxy: Setting<TrustProxy> = { parse, fallback: false };

function parse(text: string): TrustProxy {
  const word = text.toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true';
  if (word === 'off') return false;
  if (/^\d{1,3}$/.test(word)) return Number(word);
  const entries = text.split(',').map((entry) => entry.trim());
  if (entries.every((entry) => NAMED.has(entry) || isSubnet(entry))) return entries;
  throw new Error(
    'must be true, false, a number of hops, or a list of addresses, subnets, loopback, linklocal and uniquelocal',
  );
}

function isSubnet(entry: string): boolean {
  const [address = '', bits, ...rest] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}
