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
