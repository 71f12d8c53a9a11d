/** Wraps a report so that it runs at most once in `everyMs`. The report receives the number of reports that were held back since the last one. */
export function throttle<A>(
  everyMs: number,
  report: (value: A, heldBack: number) => void,
): (value: A) => void {
  let lastAt = Number.NEGATIVE_INFINITY;
  let heldBack = 0;
  return (value) => {
    const now = performance.now();
    if (now - lastAt < everyMs) {
      heldBack += 1;
      return;
    }
    const count = heldBack;
    lastAt = now;
    heldBack = 0;
    report(value, count);
  };
}
