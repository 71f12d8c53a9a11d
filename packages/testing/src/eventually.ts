/** A starved machine gets a minute. Hunts for defects give up sooner: each red test of theirs would wait that long. */
const PATIENCE_MS = Number(process.env.TEST_PATIENCE_MS ?? 60_000);

/** How long to wait and how often to look, in milliseconds. */
export interface EventuallyOptions {
  readonly timeoutMs?: number | undefined;
  readonly everyMs?: number;
}

/** Repeats a check until it stops throwing and returns its value; after the timeout (60 s) it throws the last error of the check. */
export async function eventually<T>(
  check: () => T | Promise<T>,
  options: EventuallyOptions = {},
): Promise<T> {
  const until = Date.now() + (options.timeoutMs ?? PATIENCE_MS);
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > until) {
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, options.everyMs ?? 25));
    }
  }
}
