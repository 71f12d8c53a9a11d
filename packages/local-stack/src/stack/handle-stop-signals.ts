const STOP_SIGNALS: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** A terminal and npm both pass the same Ctrl-C on; only a later signal is a second one (milliseconds). */
const SAME_SIGNAL_MS = 1_000;

/** Callbacks for stop signals. */
export interface StopHandlers {
  readonly first: (signal: NodeJS.Signals) => void;
  readonly second: () => void;
}

/** Calls `first` for the first stop signal, and `second` for one that comes more than a second later. Returns the function to unsubscribe. */
export function handleStopSignals({ first, second }: StopHandlers): () => void {
  let firstAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (firstAt === undefined) {
      firstAt = performance.now();
      first(signal);
    } else if (performance.now() - firstAt > SAME_SIGNAL_MS) {
      second();
    }
  };
  for (const signal of STOP_SIGNALS) {
    process.on(signal, onSignal);
  }
  return () => {
    for (const signal of STOP_SIGNALS) {
      process.off(signal, onSignal);
    }
  };
}
