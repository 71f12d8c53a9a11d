import type { IncomingMessage } from 'node:http';

/** Most connections with a body under way before a key or a session is known. */
export interface UnknownClientLimits {
  readonly perAddress: number;
  readonly total: number;
}

const BOUNDS: UnknownClientLimits = { perAddress: 64, total: 1_000 };

interface Stranger {
  readonly address: string;
  readonly refuse: () => void;
}

/** Connections whose body is under way and of whose client neither a key nor a session is known. */
export interface UnknownClients {
  /** Counts a request until the returned function is called. Over a bound the oldest one is refused. */
  readonly enter: (request: IncomingMessage, stranger: Stranger) => () => void;
}

/** Creates the register of unknown clients. They are refused in the order of arrival: first those of an address that has too many. */
export function createUnknownClients({ perAddress, total }: UnknownClientLimits = BOUNDS): UnknownClients {
  const entries = new Map<IncomingMessage, Stranger>();
  const counts = new Map<string, number>();

  const leave = (request: IncomingMessage): void => {
    const entry = entries.get(request);
    if (!entry) {
      return;
    }
    entries.delete(request);
    const count = (counts.get(entry.address) ?? 1) - 1;
    if (count > 0) {
      counts.set(entry.address, count);
    } else {
      counts.delete(entry.address);
    }
  };
  const refuseOldest = (isMeant: (stranger: Stranger) => boolean): void => {
    for (const [request, stranger] of entries) {
      if (isMeant(stranger)) {
        leave(request);
        stranger.refuse();
        return;
      }
    }
  };

  return {
    enter: (request, stranger) => {
      const { address } = stranger;
      if ((counts.get(address) ?? 0) >= perAddress) {
        refuseOldest((one) => one.address === address);
      } else if (entries.size >= total) {
        refuseOldest(() => true);
      }
      entries.set(request, stranger);
      counts.set(address, (counts.get(address) ?? 0) + 1);
      return () => leave(request);
    },
  };
}
