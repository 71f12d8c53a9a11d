import type { Setting } from '@image-gateway/shared/config';
import { compile } from 'proxy-addr';
import { toClientAddress } from './http/client-address.js';

/** Values of Express' `trust proxy`: all, none, a number of hops, or addresses and subnets. */
export type TrustProxy = boolean | number | readonly string[];

/** The setting `TRUST_PROXY`, with Express' values: `true`, `false`, a number of hops, or a list of addresses, subnets and `loopback`, `linklocal`, `uniquelocal`. */
export const trustProxy: Setting<TrustProxy> = { parse, fallback: false };

function parse(text: string): TrustProxy {
  const word = text.toLowerCase();
  if (word === 'true' || word === 'false') {
    return word === 'true';
  }
  if (word === 'off') {
    return false;
  }
  if (/^\d{1,3}$/.test(word)) {
    return Number(word);
  }
  const entries = text.split(',').map((entry) => entry.trim());
  try {
    compile(entries);
  } catch (cause) {
    const message =
      'must be true, false, a number of hops, or a list of addresses, subnets, loopback, linklocal and uniquelocal';
    throw new Error(message, { cause });
  }
  return entries;
}

/**
 * Returns the setting for Express. Addresses of a list are compared with the canonical ones of the hops, so that a proxy which
 * writes ports behind them is recognized.
 */
export function createTrust(
  setting: TrustProxy,
): boolean | number | ((address: string, hop: number) => boolean) {
  if (typeof setting === 'boolean' || typeof setting === 'number') {
    return setting;
  }
  const isTrusted = compile([...setting]);
  return (address, hop) => isTrusted(toClientAddress(address), hop);
}
