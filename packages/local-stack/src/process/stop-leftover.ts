import { setTimeout as sleep } from 'node:timers/promises';
import { commandOf } from './command-of.js';

const politeMs = 5_000;
const pollMs = 50;

/**
 * Ends a server that an earlier run has left behind, if the process of that number still is it.
 * Answers whether the number belongs to somebody else by now, so that a pid file naming it is stale.
 */
export async function stopLeftover(
  pid: number,
  isIt: (command: string) => boolean,
  signal: NodeJS.Signals,
): Promise<'gone' | 'stranger'> {
  const lives = (): boolean => isIt(commandOf(pid) ?? '');
  if (!lives()) return commandOf(pid) === null ? 'gone' : 'stranger';
  process.kill(pid, signal);
  const until = Date.now() + politeMs;
  while (lives()) {
    if (Date.now() > until) process.kill(pid, 'SIGKILL');
    await sleep(pollMs);
  }
  return 'gone';
}
