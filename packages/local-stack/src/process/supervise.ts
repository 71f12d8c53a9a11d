import { type ChildProcess, spawn } from 'node:child_process';
import { killGroup } from './kill-group.js';
import { getRestartDelay } from './restart-delay.js';
import type { Guard, Role } from './start-guard.js';

/** Program, arguments and surroundings of a process. */
export interface Command {
  readonly file: string;
  readonly args: string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly uid?: number;
  readonly gid?: number;
  /** A channel for messages of a Node process to `onMessage`. */
  readonly ipc?: boolean;
}

/** End of a process. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly uptimeMs: number;
}

/** Process that is started again whenever it ends. */
export interface SupervisedProcess {
  readonly name: string;
  readonly pid: () => number | undefined;
  /** Sends the stop signal, kills the process group after `graceMs`, and does not start it again. */
  readonly stop: (graceMs: number) => Promise<void>;
  /** Kills the whole group now. */
  readonly kill: () => void;
}

/** Process to supervise, and callbacks about it. */
export interface SuperviseOptions {
  readonly name: string;
  readonly role: Role;
  readonly guard: Guard;
  /** Signal for an orderly end; SIGTERM when absent. */
  readonly stopSignal?: NodeJS.Signals;
  /** Returns the command of the next start, after cleaning up. */
  readonly command: () => Command | Promise<Command>;
  readonly output: (child: ChildProcess) => void;
  readonly print: (line: string) => void;
  readonly onPid?: (pid: number | undefined) => void;
  readonly onMessage?: (message: unknown) => void;
  /** Returns whether an end is to be followed by a start; always when absent. */
  readonly onEnd?: (ended: Ended) => boolean;
}

const describe = ({ code, signal }: Ended): string => (signal ? `killed by ${signal}` : `exit code ${code}`);

/** Starts a process in its own group and restarts it after every end, until it is stopped; resolves after the first start. */
export async function supervise(options: SuperviseOptions): Promise<SupervisedProcess> {
  const { name, role, guard, print, stopSignal = 'SIGTERM' } = options;
  let child: ChildProcess | undefined;
  let stopping = false;
  let delayMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let ended: Promise<void> = Promise.resolve();

  async function start(): Promise<void> {
    const command = await options.command();
    if (stopping) {
      return;
    }
    const startedAt = performance.now();
    const started = spawn(command.file, command.args, {
      env: command.env,
      detached: true,
      stdio: command.ipc ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
      ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
      ...(command.uid === undefined ? {} : { uid: command.uid, gid: command.gid }),
    });
    child = started;
    options.output(started);
    if (options.onMessage) {
      started.on('message', options.onMessage);
    }
    if (started.pid !== undefined) {
      guard.add(started.pid, role, stopSignal);
    }
    ended = new Promise((resolve) => {
      let over = false;
      const finish = (code: number | null, signal: NodeJS.Signals | null): void => {
        if (over) {
          return;
        }
        over = true;
        afterEnd(started, { code, signal, uptimeMs: performance.now() - startedAt });
        resolve();
      };
      started.once('exit', finish);
      started.once('error', (error) => {
        print(`${name} could not be started: ${error.message}`);
        if (started.pid === undefined) {
          finish(null, null);
        }
      });
    });
    options.onPid?.(started.pid);
  }

  function afterEnd(gone: ChildProcess, how: Ended): void {
    if (gone.pid !== undefined) {
      // Children of the process would continue without a supervisor.
      killGroup(gone.pid, 'SIGKILL');
      guard.remove(gone.pid);
    }
    child = undefined;
    options.onPid?.(undefined);
    if (stopping || options.onEnd?.(how) === false) {
      return;
    }
    delayMs = getRestartDelay(delayMs, how.uptimeMs);
    print(`${name} ended (${describe(how)}), restarting it in ${delayMs / 1000} s`);
    restartLater();
  }

  function restartLater(): void {
    timer = setTimeout(() => {
      start().catch((error: unknown) => {
        print(`${name} could not be started: ${error instanceof Error ? error.message : String(error)}`);
        delayMs = getRestartDelay(delayMs, 0);
        if (!stopping) {
          restartLater();
        }
      });
    }, delayMs);
  }

  await start();
  return {
    name,
    pid: () => child?.pid,
    async stop(graceMs) {
      stopping = true;
      clearTimeout(timer);
      const last = child;
      if (last?.pid === undefined) {
        return;
      }
      const { pid } = last;
      last.kill(stopSignal);
      const late = setTimeout(() => killGroup(pid, 'SIGKILL'), Math.max(0, graceMs));
      await ended;
      clearTimeout(late);
    },
    kill() {
      stopping = true;
      clearTimeout(timer);
      if (child?.pid !== undefined) {
        killGroup(child.pid, 'SIGKILL');
      }
    },
  };
}
