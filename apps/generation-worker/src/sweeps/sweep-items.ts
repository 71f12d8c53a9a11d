/** Round of a sweep: one batch. `noteProgress` is called after each item. Resolves with true when there may be more to do at once. */
export type Sweep = (noteProgress: () => void) => Promise<boolean>;

/** How the items of a batch are swept. */
export interface ItemSweep<T> {
  readonly action: (item: T) => Promise<void>;
  readonly onError: (item: T, error: unknown) => unknown;
  readonly noteProgress: () => void;
}

/**
 * Runs an action for all items of a claimed batch at once; an item that fails keeps no other from its turn. Resolves with true when one
 * succeeded. Otherwise the database, the store or the upstream is away, and the next batch waits for the next round.
 */
export async function sweepItems<T>(
  items: readonly T[],
  { action, onError, noteProgress }: ItemSweep<T>,
): Promise<boolean> {
  const sweepItem = async (item: T): Promise<boolean> => {
    try {
      await action(item);
      return true;
    } catch (error) {
      onError(item, error);
      return false;
    } finally {
      noteProgress();
    }
  };
  return (await Promise.all(items.map(sweepItem))).includes(true);
}
