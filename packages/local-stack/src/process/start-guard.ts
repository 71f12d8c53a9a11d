import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Role of a process: services end after the apps. */
export type Role = 'app' | 'service';

/** Handle of the guard process. */
export interface Guard {
  readonly add: (pid: number, role: Role, signal: NodeJS.Signals) => void;
  readonly remove: (pid: number) => void;
  readonly close: () => void;
}

/** Grace period of the guard, and a callback for its process id. */
export interface GuardOptions {
  /** Grace period in which apps drain (milliseconds). */
  readonly graceMs: number;
  readonly onPid: (pid: number) => void;
}

const GUARD_FILE = fileURLToPath(new URL('../../../../scripts/process/guard.mjs', import.meta.url));

/** Starts the guard process, which stops all others when this one is killed. A killed guard is replaced. */
export function startGuard({ graceMs, onPid }: GuardOptions): Guard {
  const lines = new Map<number, string>();
  let closed = false;
  let child: ChildProcess | undefined;

  const launch = (): void => {
    child = spawn(process.execPath, [GUARD_FILE, String(graceMs)], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const started = child;
    // The pipe to a killed guard fails; its exit is handled below.
    started.stdin?.on('error', () => undefined);
    for (const line of lines.values()) {
      started.stdin?.write(line);
    }
    started.on('exit', () => {
      child = undefined;
      if (!closed) {
        setTimeout(launch, 100).unref();
      }
    });
    started.unref();
    if (started.pid !== undefined) {
      onPid(started.pid);
    }
  };
  launch();

  return {
    add(pid, role, signal) {
      const line = `+${pid} ${role} ${signal}\n`;
      lines.set(pid, line);
      child?.stdin?.write(line);
    },
    remove(pid) {
      lines.delete(pid);
      child?.stdin?.write(`-${pid}\n`);
    },
    close() {
      closed = true;
      child?.stdin?.end('quit\n');
    },
  };
}
