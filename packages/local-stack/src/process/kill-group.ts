/** Sends a signal to a whole process group; false when no process of it is left (or none may be signalled). */
export function killGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}
