/** A number of permits that are handed out in the order of asking. */
export interface Permits {
  /** Waits for `count` permits at once (never more than there are) and gives what hands them back, which works once. */
  readonly acquire: (count: number) => Promise<() => void>;
  readonly free: () => number;
}

/** Makes `total` permits. Whoever waits is served in order, so that somebody who needs many is not passed by for ever. */
export function createPermits(total: number): Permits {
  let free = total;
  const waiting: { readonly count: number; readonly go: () => void }[] = [];

  const serve = (): void => {
    for (let first = waiting[0]; first && first.count <= free; first = waiting[0]) {
      waiting.shift();
      free -= first.count;
      first.go();
    }
  };
  return {
    acquire: async (wanted) => {
      const count = Math.min(wanted, total);
      await new Promise<void>((go) => {
        waiting.push({ count, go });
        serve();
      });
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        free += count;
        serve();
      };
    },
    free: () => (waiting.length > 0 ? 0 : free),
  };
}
