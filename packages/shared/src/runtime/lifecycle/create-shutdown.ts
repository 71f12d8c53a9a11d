import { TIMED_OUT, withTimeout } from '../concurrency/index.js';
import type { Logger } from '../logging/index.js';

/** In which order things stop: first no new work, then running work ends, then connections close. */
export const SHUTDOWN_GROUPS = ['intake', 'work', 'connections'] as const;
/** A group of things that stop together. */
export type ShutdownGroup = (typeof SHUTDOWN_GROUPS)[number];

/** How a shutdown is made. */
export interface ShutdownOptions {
  readonly logger: Logger;
  /** How long the whole shutdown may take, in milliseconds; `connections` always gets at least half a second of its own. */
  readonly graceMs: number;
}

/** The ordered end of a process. */
export interface Shutdown {
  /** Adds something to stop; it is given the milliseconds that are left for its group. */
  readonly register: (
    group: ShutdownGroup,
    name: string,
    stop: (leftMs: number) => Promise<unknown> | unknown,
  ) => void;
  /**
   * Stops everything once, group after group; further calls wait for the first. Never throws, never takes longer than the grace
   * time and a second.
   */
  readonly run: (reason: string) => Promise<void>;
  /** Aborted as soon as the shutdown begins. */
  readonly signal: AbortSignal;
}

const LAST_GROUP_MS = 500;

/** Makes the ordered shutdown of a process, with a timeout for each group, so that a part that hangs does not hold the others. */
export function createShutdown({ logger, graceMs }: ShutdownOptions): Shutdown {
  const controller = new AbortController();
  const entries: {
    group: ShutdownGroup;
    name: string;
    stop: (leftMs: number) => Promise<unknown> | unknown;
  }[] = [];
  let running: Promise<void> | undefined;

  const stopGroup = async (group: ShutdownGroup, leftMs: number): Promise<void> => {
    const open = new Set<string>();
    const all = entries
      .filter((entry) => entry.group === group)
      .map(async ({ name, stop }) => {
        open.add(name);
        try {
          await stop(leftMs);
        } catch (error) {
          logger.warn('could not stop cleanly', { part: name, error });
        }
        open.delete(name);
      });
    if ((await withTimeout(leftMs, Promise.all(all))) === TIMED_OUT) {
      logger.warn('did not stop in time', { parts: [...open], leftMs });
    }
  };

  const runAll = async (reason: string): Promise<void> => {
    const deadline = Date.now() + graceMs;
    logger.info('stopping', { reason, graceMs });
    controller.abort(new Error(`stopping: ${reason}`));
    for (const group of SHUTDOWN_GROUPS) {
      const least = group === 'connections' ? LAST_GROUP_MS : 0;
      await stopGroup(group, Math.max(least, deadline - Date.now()));
    }
    logger.info('stopped', { reason });
  };

  return {
    register: (group, name, stop) => {
      entries.push({ group, name, stop });
    },
    run: (reason) => {
      running ??= runAll(reason);
      return running;
    },
    signal: controller.signal,
  };
}
