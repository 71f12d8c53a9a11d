import { getHostPort, isHostAllowed, isPublicAddress } from '../net/index.js';
import { OutboundError } from './outbound-error.js';
import type { ResolvedAddress, ResolveHost } from './resolvers.js';

/** Guard that decides where calls may go. */
export interface Guard {
  /** Throws OutboundError `refused-address` when the literal address or loopback name in the URL may not be called. */
  readonly checkLiteral: (url: URL) => void;
  /** Resolves the URL's name to the addresses that may be connected to; throws `dns`, or `refused-address` when one of them is blocked. */
  readonly resolve: (url: URL) => Promise<readonly ResolvedAddress[]>;
}

/** Rules and resolvers of a guard. */
export interface GuardOptions {
  readonly allow: ReadonlySet<string>;
  readonly allowHosts: ReadonlySet<string>;
  readonly resolvePublic: ResolveHost;
  readonly resolveTrusted: ResolveHost;
}

/** Creates the guard: public addresses only, except for the exact `host:port` in `allow` and the hosts in `allowHosts`. */
export function createGuard({ allow, allowHosts, resolvePublic, resolveTrusted }: GuardOptions): Guard {
  const isTrusted = (url: URL): boolean => allow.has(getHostPort(url)) || allowHosts.has(url.hostname);
  return {
    checkLiteral: (url) => {
      if (isHostAllowed(url) || isTrusted(url)) {
        return;
      }
      throw new OutboundError('refused-address', `the address ${url.host} is not public`);
    },
    resolve: async (url) => {
      const trusted = isTrusted(url);
      const addresses = await (trusted ? resolveTrusted : resolvePublic)(url.hostname).catch(
        (cause: unknown) => {
          throw new OutboundError('dns', `the name ${url.hostname} could not be resolved`, { cause });
        },
      );
      if (addresses.length === 0) {
        throw new OutboundError('dns', `the name ${url.hostname} has no address`);
      }
      // One blocked address is enough to refuse: the gateway cannot choose which of them is connected to.
      if (trusted || addresses.every(({ address }) => isPublicAddress(address))) {
        return addresses;
      }
      throw new OutboundError(
        'refused-address',
        `the name ${url.hostname} resolves to an address that is not public`,
      );
    },
  };
}
