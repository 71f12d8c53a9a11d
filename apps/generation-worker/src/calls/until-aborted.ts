import { orAbort } from '../attempt/or-abort.js';

/** Passes the events of a generator on until the signal is aborted, also when the generator does not listen to it; throws the signal's reason then. */
export async function* untilAborted<T>(
  events: AsyncGenerator<T, void>,
  signal: AbortSignal,
): AsyncGenerator<T, void> {
  try {
    for (;;) {
      const { done, value } = await orAbort(events.next(), signal);
      if (done) return;
      yield value;
    }
  } finally {
    // Not awaited: a generator that does not listen to the signal ends when it ends, and nobody cares how.
    events.return().then(undefined, () => undefined);
  }
}
