import { setTimeout as wait } from 'node:timers/promises';

/** A starved machine gets a minute. Hunts for defects give up sooner: each red test of theirs would wait that long. */
const PATIENCE_MS = Number(process.env.TEST_PATIENCE_MS ?? 60_000);

interface Limits {
  withinMs?: number | undefined;
  everyMs?: number;
}

/** Repeats the look until it returns without throwing, and gives its value; after `withinMs` (60 s) its last error is thrown. */
export async function eventually<T>(look: () => Promise<T> | T, patience: Limits = {}): Promise<T> {
  const { withinMs = PATIENCE_MS, everyMs = 50 } = patience;
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
