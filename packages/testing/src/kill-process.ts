import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Kills a process if it still runs, and waits for its end. */
export async function killProcess(child: ChildProcess | undefined): Promise<void> {
  if (child && child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}
