/**
 * Creates a function that lets one caller a turn of the event loop pass, in the order of their calls. Work in pieces that waits for it
 * holds up other requests for one piece at a time, however many clients have room for more bytes.
 */
export function createTurns(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const passOne = (): void => {
    waiting.shift()?.();
    if (waiting.length > 0) {
      setImmediate(passOne);
    }
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) {
        setImmediate(passOne);
      }
    });
}
