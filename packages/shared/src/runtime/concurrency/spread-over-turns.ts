/** Work that follows from eight items takes a few milliseconds; that of hundreds would hold up everything else. */
const ITEMS_A_TURN = 8;

/** Calls a function for each item, in their order, for eight items in each turn of the event loop. The first ones are called at once. */
export async function spreadOverTurns<T>(items: readonly T[], call: (item: T) => void): Promise<void> {
  for (const [i, item] of items.entries()) {
    if (i > 0 && i % ITEMS_A_TURN === 0) {
      await new Promise(setImmediate);
    }
    call(item);
  }
}
