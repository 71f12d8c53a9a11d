import { getHostPort } from './get-host-port.js';
import { isLoopbackName } from './is-loopback-name.js';
import { isPublicAddress } from './is-public-address.js';
import { OutboundError } from './outbound-error.js';
import { parseLiteralAddress } from './parse-literal-address.js';
import type { ResolvedAddress, ResolveHost } from './resolvers.js';

/** Decides where calls may go. */
export interface Guard {
  /** Throws OutboundError `refused-address` when the address or the loopback name written out in the URL may not be called. */
  readonly checkLiteral: (url: URL) => void;
  /** Resolves the URL's name to the addresses that may be connected to; throws `dns`, or `refused-address` when any one of them is blocked. */
  readonly resolve: (url: URL) => Promise<readonly ResolvedAddress[]>;
}

/** What a guard is made of. */
export interface GuardOptions {
  readonly allow: ReadonlySet<string>;
  readonly allowHosts: ReadonlySet<string>;
  readonly resolvePublic: ResolveHost;
  readonly resolveTrusted: ResolveHost;
}

/** Makes the guard: public addresses only, except for the exact `host:port` in `allow` and the hosts in `allowHosts`. */
export function createGuard({ allow, allowHosts, resolvePublic, resolveTrusted }: GuardOptions): Guard {
  const isTrusted = (url: URL): boolean => allow.has(getHostPort(url)) || allowHosts.has(url.hostname);
  return {
    checkLiteral: (url) => {
      const address = parseLiteralAddress(url);
      if (address === null ? !isLoopbackName(url) : isPublicAddress(address)) return;
      if (isTrusted(url)) return;
      throw new OutboundError('refused-address', `the address ${url.host} is not public`);
    },
    resolve: async (url) => {
      const trusted = isTrusted(url);
      const addresses = await (trusted ? resolveTrusted : resolvePublic)(url.hostname).catch(
        (cause: unknown) => {
          throw new OutboundError('dns', `the name ${url.hostname} could not be resolved`, { cause });
        },
      );
      if (addresses.length === 0) throw new OutboundError('dns', `the name ${url.hostname} has no address`);
      // One blocked address is enough to refuse: which of them would be connected to is not ours to choose.
      if (trusted || addresses.every(({ address }) => isPublicAddress(address))) return addresses;
      throw new OutboundError(
        'refused-address',
        `the name ${url.hostname} resolves to an address that is not public`,
      );
    },
  };
}
