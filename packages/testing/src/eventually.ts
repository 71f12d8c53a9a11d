/** How long to wait and how often to look, in milliseconds. */
export interface EventuallyOptions {
  readonly timeoutMs?: number;
  readonly everyMs?: number;
}

/** Repeats a check until it stops throwing and returns its value; after the timeout (60 s) it throws the last error of the check. */
export async function eventually<T>(
  check: () => T | Promise<T>,
  options: EventuallyOptions = {},
): Promise<T> {
  const until = Date.now() + (options.timeoutMs ?? 60_000);
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
