/** The room there is for posts under way. */
export interface Places {
  /** Whether a receiver could have one more place now. */
  readonly hasRoom: (hostPort: string) => boolean;
  /** Takes a place for a receiver; false when there is none for it now. */
  readonly take: (hostPort: string) => boolean;
  readonly give: (hostPort: string) => void;
  /** Posts under way, to one receiver or to all. */
  readonly runningOf: (hostPort: string) => number;
  readonly running: () => number;
}

/**
 * Makes the places of a process: at most `perHost` for one receiver and `total` in all. The fuller the house, the fewer
 * a single receiver may have: its next place must leave room in proportion to those it has already, so that a dozen dead
 * receivers cannot fill every place and a receiver that has none finds one.
 */
export function createPlaces({
  total,
  perHost,
}: {
  readonly total: number;
  readonly perHost: number;
}): Places {
  const byHost = new Map<string, number>();
  let running = 0;
  const runningOf = (hostPort: string): number => byHost.get(hostPort) ?? 0;
  const hasRoom = (hostPort: string): boolean => {
    const own = runningOf(hostPort);
    return own < perHost && running < total * (1 - own / (perHost + 1));
  };
  return {
    hasRoom,
    take: (hostPort) => {
      if (!hasRoom(hostPort)) return false;
      byHost.set(hostPort, runningOf(hostPort) + 1);
      running += 1;
      return true;
    },
    give: (hostPort) => {
      const left = runningOf(hostPort) - 1;
      if (left < 0) throw new RangeError(`no place was taken for ${hostPort}`);
      if (left === 0) byHost.delete(hostPort);
      else byHost.set(hostPort, left);
      running -= 1;
    },
    runningOf,
    running: () => running,
  };
}
