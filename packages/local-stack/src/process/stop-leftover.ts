import { setTimeout as sleep } from 'node:timers/promises';
import { readCommandLine } from './read-command-line.js';

const GRACE_MS = 5_000;
const POLL_MS = 50;

/**
 * Ends a server that an earlier run has left behind, if the process of that number still is it.
 * Returns 'stranger' when the number belongs to another process by now, so that a pid file naming it is stale.
 */
export async function stopLeftover(
  pid: number,
  isExpected: (command: string) => boolean,
  signal: NodeJS.Signals,
): Promise<'gone' | 'stranger'> {
  const lives = (): boolean => isExpected(readCommandLine(pid) ?? '');
  if (!lives()) {
    return readCommandLine(pid) === null ? 'gone' : 'stranger';
  }
  process.kill(pid, signal);
  const until = Date.now() + GRACE_MS;
  while (lives()) {
    if (Date.now() > until) {
      process.kill(pid, 'SIGKILL');
    }
    await sleep(POLL_MS);
  }
  return 'gone';
}
