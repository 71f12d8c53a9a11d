import type { TrustProxy } from '@image-gateway/shared/config';
import { compile } from 'proxy-addr';
import { toClientAddress } from './http/client-address.js';

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

/** Returns the test for addresses of proxies. Where the setting is a number, each client of this process is one. */
export function createProxyCheck(setting: TrustProxy): (address: string) => boolean {
  const trust = createTrust(setting);
  return typeof trust === 'function' ? (address) => trust(address, 0) : () => trust !== false && trust !== 0;
}
