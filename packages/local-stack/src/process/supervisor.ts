import { type Guard, startGuard } from './guard.js';
import { type SupervisedProcess, type SuperviseOptions, supervise } from './supervise.js';

/** How long after the apps' grace period everything has to be gone (milliseconds); the services share it. */
const afterGraceMs = 2_000;
/** An app that uses its grace period up ends by itself at the end of it; only then it is killed. */
const patienceMs = 300;
/** What is left of the time above for the last kill. */
const reserveMs = 300;

export interface SupervisorOptions {
  /** The time that apps have for what they are doing (milliseconds). */
  graceMs: number;
  say: (line: string) => void;
  /** Called whenever some process is another one than before. */
  onPid: () => void;
  /** Called with the process that stops all others should this one be killed. */
  onGuard?: (pid: number) => void;
}

export interface Supervisor {
  start(options: Omit<SuperviseOptions, 'guard' | 'say'>): Promise<SupervisedProcess>;
  /** Ends the apps, then the services, each politely first; safe to call more than once. */
  stop(): Promise<void>;
  /** Kills everything now. */
  kill(): void;
}

/** Keeps the processes of a stack: starts them, starts them again, stops them in the right order. */
export function createSupervisor({ graceMs, say, onPid, onGuard }: SupervisorOptions): Supervisor {
  const guard: Guard = startGuard({ graceMs, onPid: (pid) => onGuard?.(pid) });
  const processes: { role: 'app' | 'service'; process: SupervisedProcess }[] = [];
  let stopping: Promise<void> | undefined;

  const stopRole = (role: 'app' | 'service', ms: number): Promise<unknown> =>
    Promise.all(processes.filter((p) => p.role === role).map(({ process }) => process.stop(ms)));

  async function stopAll(): Promise<void> {
    const deadline = performance.now() + graceMs + afterGraceMs - reserveMs;
    await stopRole('app', graceMs + patienceMs);
    await stopRole('service', deadline - performance.now());
    guard.close();
  }

  return {
    async start(options) {
      const process = await supervise({
        ...options,
        guard,
        say,
        onPid: (pid) => {
          options.onPid?.(pid);
          onPid();
        },
      });
      processes.push({ role: options.role, process });
      // Asked to stop while this one was on its way.
      if (stopping) await process.stop(0);
      return process;
    },
    stop() {
      stopping ??= stopAll();
      return stopping;
    },
    kill() {
      stopping ??= Promise.resolve();
      for (const { process } of processes) process.kill();
      guard.close();
    },
  };
}
