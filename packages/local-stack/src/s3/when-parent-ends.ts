const CHECK_MS = 500;

/** Calls back once the process of a number is gone, half a second later at most. */
export function whenParentEnds(pid: number, onEnd: () => void): void {
  const timer = setInterval(() => {
    if (lives(pid)) return;
    clearInterval(timer);
    onEnd();
  }, CHECK_MS);
  timer.unref();
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
