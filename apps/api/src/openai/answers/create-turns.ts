/** Work between two rests, and the rest, in milliseconds: callers have a quarter of the event loop at most. */
const WORK_MS = 2;
const REST_MS = 6;

/**
 * Creates a function that lets one caller a turn of the event loop pass, in the order of their calls. Work in pieces that waits for it
 * holds up other requests for one piece at a time, however many clients have room for more bytes. When all of them have at once, the rests
 * leave the processor to what other requests wait for. A quarter of an event loop encodes tens of megabytes a second.
 */
export function createTurns(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let isPassing = false;
  let workedMs = 0;
  let startedAt = 0;

  const passOne = (): void => {
    startedAt = performance.now();
    waiting.shift()?.();
  };
  const goOn = (): void => {
    workedMs += performance.now() - startedAt;
    if (waiting.length === 0) {
      isPassing = false;
    } else if (workedMs < WORK_MS) {
      pass();
    } else {
      workedMs = 0;
      setTimeout(pass, REST_MS);
    }
  };
  const pass = (): void => {
    isPassing = true;
    // The second one runs right after the work that the first one has let pass.
    setImmediate(passOne);
    setImmediate(goOn);
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (!isPassing) {
        pass();
      }
    });
}
