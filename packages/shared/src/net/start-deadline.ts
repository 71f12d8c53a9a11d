/** The end of a call, whatever comes first. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** What ended the call, or null while it may go on. */
  readonly endedBy: () => 'timeout' | 'aborted' | null;
  /** Must be called when the call is over. */
  readonly stop: () => void;
}

const MAX_TIMER_MS = 2 ** 31 - 1;

/** Starts the total deadline of a call: its signal is aborted after `timeoutMs`, or as soon as the caller's signal is. */
export function startDeadline(options: {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}): Deadline {
  const controller = new AbortController();
  let endedBy: 'timeout' | 'aborted' | null = null;
  const end = (why: 'timeout' | 'aborted'): void => {
    endedBy ??= why;
    controller.abort();
  };
  const onAbort = (): void => end('aborted');
  const timer = setTimeout(() => end('timeout'), Math.min(options.timeoutMs, MAX_TIMER_MS));
  if (options.signal?.aborted) onAbort();
  options.signal?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    endedBy: () => endedBy,
    stop: () => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', onAbort);
    },
  };
}
