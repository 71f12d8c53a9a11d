import { type Guard, startGuard } from './start-guard.js';
import { type SupervisedProcess, type SuperviseOptions, supervise } from './supervise.js';

/** Time after the grace period of the apps until everything is gone (milliseconds); the services share it. */
const AFTER_GRACE_MS = 2_000;
/** An app that uses its grace period up ends by itself at the end of it; only then it is killed. */
const KILL_DELAY_MS = 300;
/** Part of the time above that is kept for the last kill (milliseconds). */
const KILL_RESERVE_MS = 300;

/** Grace period of a stack, and callbacks about its processes. */
export interface SupervisorOptions {
  /** Grace period in which apps finish their work (milliseconds). */
  readonly graceMs: number;
  readonly print: (line: string) => void;
  /** Called whenever a process was replaced by another one. */
  readonly onPid: () => void;
  /** Called with the guard process, which stops all others when this one is killed. */
  readonly onGuard?: (pid: number) => void;
}

/** Handle of the processes of a stack. */
export interface Supervisor {
  readonly start: (options: Omit<SuperviseOptions, 'guard' | 'print'>) => Promise<SupervisedProcess>;
  /** Ends the apps, then the services, each with a stop signal first; safe to call more than once. */
  readonly stop: () => Promise<void>;
  /** Kills everything now. */
  readonly kill: () => void;
}

/** Creates the supervisor of a stack, which starts processes, restarts them, and stops them in the right order. */
export function createSupervisor({ graceMs, print, onPid, onGuard }: SupervisorOptions): Supervisor {
  const guard: Guard = startGuard({ graceMs, onPid: (pid) => onGuard?.(pid) });
  const processes: { role: 'app' | 'service'; process: SupervisedProcess }[] = [];
  let stopping: Promise<void> | undefined;

  const stopRole = (role: 'app' | 'service', ms: number): Promise<unknown> =>
    Promise.all(processes.filter((p) => p.role === role).map(({ process }) => process.stop(ms)));

  async function stopAll(): Promise<void> {
    const deadline = performance.now() + graceMs + AFTER_GRACE_MS - KILL_RESERVE_MS;
    await stopRole('app', graceMs + KILL_DELAY_MS);
    await stopRole('service', deadline - performance.now());
    guard.close();
  }

  return {
    async start(options) {
      const process = await supervise({
        ...options,
        guard,
        print,
        onPid: (pid) => {
          options.onPid?.(pid);
          onPid();
        },
      });
      processes.push({ role: options.role, process });
      // Stopped while this process was starting.
      if (stopping) {
        await process.stop(0);
      }
      return process;
    },
    stop() {
      stopping ??= stopAll();
      return stopping;
    },
    kill() {
      stopping ??= Promise.resolve();
      for (const { process } of processes) {
        process.kill();
      }
      guard.close();
    },
  };
}
