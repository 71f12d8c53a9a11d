import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export type Role = 'app' | 'service';

export interface Guard {
  add(pid: number, role: Role, signal: NodeJS.Signals): void;
  remove(pid: number): void;
  close(): void;
}

export interface GuardOptions {
  /** The time that apps get to drain (milliseconds). */
  graceMs: number;
  onPid: (pid: number) => void;
}

const file = fileURLToPath(new URL('../plain/guard.mjs', import.meta.url));

/** Starts the small process that stops all others should this one be killed; it is replaced when somebody kills it. */
export function startGuard({ graceMs, onPid }: GuardOptions): Guard {
  const lines = new Map<number, string>();
  let closed = false;
  let child: ChildProcess | undefined;

  const launch = (): void => {
    child = spawn(process.execPath, [file, String(graceMs)], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const started = child;
    // A pipe to a guard that was just killed: its exit is what gets handled.
    started.stdin?.on('error', () => undefined);
    for (const line of lines.values()) started.stdin?.write(line);
    started.on('exit', () => {
      child = undefined;
      if (!closed) setTimeout(launch, 100).unref();
    });
    started.unref();
    if (started.pid !== undefined) onPid(started.pid);
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
