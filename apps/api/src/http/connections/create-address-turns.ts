/** Queue of items by address. Addresses are served in turns, and items of one address in the order of arrival. */
export interface AddressTurns<T> {
  readonly add: (address: string, item: T) => void;
  /** Takes the next one; undefined where none of an address that may have a turn waits. */
  readonly take: (mayServe?: (address: string) => boolean) => T | undefined;
  readonly isEmpty: () => boolean;
}

/** Creates a queue of turns. */
export function createAddressTurns<T>(): AddressTurns<T> {
  const queues = new Map<string, Set<T>>();
  return {
    add: (address, item) => {
      const queue = queues.get(address);
      if (queue) {
        queue.add(item);
      } else {
        queues.set(address, new Set([item]));
      }
    },
    take: (mayServe) => {
      for (const [address, queue] of queues) {
        if (mayServe && !mayServe(address)) {
          continue;
        }
        const [item] = queue;
        queue.delete(item as T);
        // It comes back behind all others.
        queues.delete(address);
        if (queue.size > 0) {
          queues.set(address, queue);
        }
        return item;
      }
      return undefined;
    },
    isEmpty: () => queues.size === 0,
  };
}
