const stopSignals: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** A terminal and npm both pass the same Ctrl-C on; only a later signal is a second one (milliseconds). */
const sameSignalMs = 1_000;

export interface StopHandlers {
  first(signal: NodeJS.Signals): void;
  second(): void;
}

/** Calls back for the first signal that asks to stop, and for another one that comes more than a second later; answers how to unsubscribe. */
export function onStopSignals({ first, second }: StopHandlers): () => void {
  let firstAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (firstAt === undefined) {
      firstAt = performance.now();
      first(signal);
    } else if (performance.now() - firstAt > sameSignalMs) {
      second();
    }
  };
  for (const signal of stopSignals) process.on(signal, onSignal);
  return () => {
    for (const signal of stopSignals) process.off(signal, onSignal);
  };
}
