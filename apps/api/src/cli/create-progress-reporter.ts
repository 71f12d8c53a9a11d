const EVERY_MS = 2_000;

/** Creates the reporter of a long command: it renders and prints a line at most every two seconds. */
export function createProgressReporter(print: (line: string) => void): (render: () => string) => void {
  let reportedAt = performance.now();
  return (render) => {
    if (performance.now() - reportedAt >= EVERY_MS) {
      reportedAt = performance.now();
      print(render());
    }
  };
}
