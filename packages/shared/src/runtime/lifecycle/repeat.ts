/** How something is repeated. */
export interface RepeatOptions {
  readonly everyMs: number;
  readonly signal: AbortSignal;
  /** Called with what a round threw; the next round comes all the same. */
  readonly onError: (error: unknown) => void;
}

/**
 * Repeats an action until the signal is aborted, with `everyMs` between the end of one round and the start of the next.
 * Rounds never overlap. Resolves when the last round has ended.
 */
export async function repeat(
  action: () => Promise<unknown>,
  { everyMs, signal, onError }: RepeatOptions,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await action();
    } catch (error) {
      onError(error);
    }
    await pause(everyMs, signal);
  }
}

/** Waits for some milliseconds, or less when the signal is aborted; never throws. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) {
    return;
  }
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}
