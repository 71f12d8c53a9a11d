import { setTimeout as wait } from 'node:timers/promises';

interface Limits {
  withinMs?: number;
  everyMs?: number;
}

/** Repeats the look until it returns without throwing, and gives its value; after `withinMs` (60 s) its last error is thrown. */
export async function eventually<T>(look: () => Promise<T> | T, patience: Limits = {}): Promise<T> {
  const { withinMs = 60_000, everyMs = 50 } = patience;
  const until = Date.now() + withinMs;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (Date.now() > until) {
        throw error;
      }
    }
    await wait(everyMs);
  }
}
