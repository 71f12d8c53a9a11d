/** Runs pieces of work one after the other for each name, and side by side for different names. */
export function createKeyLocks(): <R>(name: string, work: () => Promise<R>) => Promise<R> {
  const last = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    const before = last.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (last.get(name) === mine) last.delete(name);
    }
  };
}
