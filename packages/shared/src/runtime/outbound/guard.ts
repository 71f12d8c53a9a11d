import { lookup, Resolver } from 'node:dns/promises';
import { getHostPort, isHostAllowed, isMachineAddress, isPublicAddress } from '../net/index.js';
import { OutboundError } from './outbound-error.js';

/** Address of a name. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Resolves a host name to all of its addresses, at least one, or throws. */
export type ResolveHost = (hostname: string) => Promise<readonly ResolvedAddress[]>;

const ATTEMPT_MS = 1_500;

/**
 * Creates the resolver for names that customers choose. It queries the name servers itself. With `dns.lookup` each name
 * would occupy one of four threads: a few slow servers could block everything else that needs a thread.
 */
export function createNetworkResolver(): ResolveHost {
  const resolver = new Resolver({ timeout: ATTEMPT_MS, tries: 2 });
  return async (hostname) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found: ResolvedAddress[] = [];
    if (v4.status === 'fulfilled') {
      found.push(...v4.value.map((address) => ({ address, family: 4 as const })));
    }
    if (v6.status === 'fulfilled') {
      found.push(...v6.value.map((address) => ({ address, family: 6 as const })));
    }
    if (found.length > 0) {
      return found;
    }
    const faults: unknown[] = [v4, v6].flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    // A name does not exist only if both queries say so: ENOTFOUND is Node's word for NXDOMAIN.
    throw faults.find((fault) => !isNotFound(fault)) ?? faults[0] ?? new Error('no address');
  };
}

function isNotFound(fault: unknown): boolean {
  return fault instanceof Error && (fault as NodeJS.ErrnoException).code === 'ENOTFOUND';
}

/** Creates the resolver for names that the operator chose: that of the system, which also knows /etc/hosts and search domains. */
export function createSystemResolver(): ResolveHost {
  return async (hostname) => {
    const found = await lookup(hostname, { all: true, verbatim: true });
    return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
  };
}

/** Parses the URL of an outbound call; throws OutboundError `bad-url` unless it is http or https without user info. */
export function parseOutboundUrl(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href)) {
    throw new OutboundError('bad-url', 'not a URL');
  }
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new OutboundError('bad-url', `the protocol ${url.protocol} is not http or https`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new OutboundError('bad-url', `the URL for ${url.host} carries user info`);
  }
  url.hash = '';
  return url;
}

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
  readonly allowServers: ReadonlySet<string>;
  readonly resolvePublic: ResolveHost;
  readonly resolveTrusted: ResolveHost;
}

/**
 * Creates the guard: public addresses only, except for the exact `host:port` in `allow` and the hosts in `allowHosts`. Those
 * in `allowServers` may be private, but must not lead to addresses that give out credentials of the machine.
 */
export function createGuard(options: GuardOptions): Guard {
  const { allow, allowHosts, allowServers, resolvePublic, resolveTrusted } = options;
  const isListed = (url: URL): boolean => allow.has(getHostPort(url)) || allowHosts.has(url.hostname);
  const isServer = (url: URL): boolean => allowServers.has(getHostPort(url)) && !isListed(url);
  const isTrusted = (url: URL): boolean => isListed(url) || isServer(url);
  return {
    checkLiteral: (url) => {
      const isRefused = isServer(url) && isMachineAddress(url.hostname.replace(/^\[|\]$/g, ''));
      if (!isRefused && (isHostAllowed(url) || isTrusted(url))) {
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
      if (isServer(url) && addresses.some(({ address }) => isMachineAddress(address))) {
        throw new OutboundError(
          'refused-address',
          `the name ${url.hostname} resolves to a link-local address`,
        );
      }
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
