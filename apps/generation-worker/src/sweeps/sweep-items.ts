/** Round of a sweep: one batch. `noteProgress` is called after each item. Resolves with true when there may be more to do at once. */
export type Sweep = (noteProgress: () => void) => Promise<boolean>;

/** Terms of a batch. */
export interface ItemSweep<T> {
  readonly action: (item: T) => Promise<void>;
  readonly onError: (item: T, error: unknown) => unknown;
  readonly noteProgress: () => void;
}

/**
 * Runs an action for all items of a claimed batch concurrently; a failed item does not hold up the others. Resolves with true when one
 * succeeded. Otherwise the database, the store or the upstream is unreachable, and the next batch waits for the next round.
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
