/** Sends a signal to a process group; false when it has no process left, or none that accepts the signal. */
export function killGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}
