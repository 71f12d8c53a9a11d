import { lookup, Resolver } from 'node:dns/promises';

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
