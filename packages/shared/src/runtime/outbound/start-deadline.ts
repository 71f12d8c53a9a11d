/** Deadline of a call: its timeout or the abort of its caller. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Reason for the end of the call, or null while it may go on. */
  readonly endedBy: () => 'timeout' | 'aborted' | null;
  /** Stops the timer, so that only the caller's signal ends the call. */
  readonly pause: () => void;
  /** Restarts the timer with that many milliseconds. */
  readonly resume: (leftMs: number) => void;
  /** Must be called when the call is over. */
  readonly stop: () => void;
}

const MAX_TIMER_MS = 2 ** 31 - 1;

/** Starts the deadline of a call: its signal is aborted after `timeoutMs`, or together with the caller's signal. */
export function startDeadline(options: {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}): Deadline {
  const controller = new AbortController();
  let endedBy: 'timeout' | 'aborted' | null = null;
  const end = (reason: 'timeout' | 'aborted'): void => {
    endedBy ??= reason;
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
  if (options.signal?.aborted) {
    onAbort();
  }
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
