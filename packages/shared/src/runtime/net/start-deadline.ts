/** The end of a call, whatever comes first. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** What ended the call, or null while it may go on. */
  readonly endedBy: () => 'timeout' | 'aborted' | null;
  /** Stops the clock, so that only the caller's signal ends the call. */
  readonly pause: () => void;
  /** Starts the clock anew with that many milliseconds. */
  readonly resume: (leftMs: number) => void;
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
  let timer: NodeJS.Timeout | undefined;
  const pause = (): void => clearTimeout(timer);
  const resume = (leftMs: number): void => {
    pause();
    timer = setTimeout(() => end('timeout'), Math.min(Math.max(0, leftMs), MAX_TIMER_MS));
  };
  resume(options.timeoutMs);
  if (options.signal?.aborted) onAbort();
  options.signal?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    endedBy: () => endedBy,
    pause,
    resume,
    stop: () => {
      pause();
      options.signal?.removeEventListener('abort', onAbort);
    },
  };
}
