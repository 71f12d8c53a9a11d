import type { Logger } from '../logging/index.js';

/** Times after which a hung process ends itself, in milliseconds. */
export interface WatchdogTimes {
  readonly checkEveryMs: number;
  /** How long the same trouble must last. */
  readonly hungAfterMs: number;
}

/** Times of the watchdog of a process that takes hints from a queue. */
export interface WorkerTimes extends WatchdogTimes {
  /** Age of a waiting hint, in milliseconds, at which the queue counts as not consumed. */
  readonly queueStuckAfterMs: number;
}

/** How a watchdog is made. */
export interface WatchdogOptions {
  readonly logger: Logger;
  /** Says what is wrong at this moment, or null. It may throw; that counts as nothing wrong, since its own means failed. */
  readonly probe: () => Promise<string | null>;
  readonly times: WatchdogTimes;
  /** Called on a hang; ends the process, so that its supervisor starts a fresh one. */
  readonly onHang: (reason: string) => void;
  readonly now?: () => number;
}

/** Watches for a silent hang: when the probe reports trouble without a break for longer than tolerated, `onHang` is called once. */
export function createWatchdog(options: WatchdogOptions): {
  readonly check: () => Promise<void>;
  readonly stop: () => void;
} {
  const now = options.now ?? Date.now;
  let since: number | null = null;
  let barked = false;

  const check = async (): Promise<void> => {
    const trouble = await options.probe().catch((error: unknown) => {
      options.logger.debug('the watchdog could not look', { error });
      return null;
    });
    if (trouble === null) {
      since = null;
      return;
    }
    since ??= now();
    if (barked || now() - since < options.times.hungAfterMs) {
      return;
    }
    barked = true;
    options.logger.error('hung, ending the process', { trouble, forMs: now() - since });
    options.onHang(trouble);
  };

  const timer = setInterval(() => void check(), options.times.checkEveryMs);
  timer.unref();
  return { check, stop: () => clearInterval(timer) };
}
