const MOST_FAILURES = 3;

/** Does something for each item, one after the other. One that fails does not keep the others from it, but three do: then the database or the store is away, and the next round tries again. */
export async function eachWhileItWorks<T>(
  items: readonly T[],
  action: (item: T) => Promise<void>,
  onError: (item: T, error: unknown) => void,
): Promise<void> {
  let failures = 0;
  for (const item of items) {
    try {
      await action(item);
    } catch (error) {
      onError(item, error);
      failures += 1;
      if (failures >= MOST_FAILURES) return;
    }
  }
}
