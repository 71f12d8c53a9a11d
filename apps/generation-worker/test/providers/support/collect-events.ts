import { ProviderError } from '../../../src/providers/failures.js';
import type {
  CallScope,
  ImageProvider,
  ProviderEvent,
  ProviderRequest,
} from '../../../src/providers/port.js';

/** Everything that came of one call. */
export interface Collected {
  readonly events: readonly ProviderEvent[];
  /** Error that ended the call; null when it was completed. */
  readonly error: ProviderError | null;
}

/** A scope that nothing ends and that has room for everything. */
export const freeScope = (): CallScope => ({
  signal: new AbortController().signal,
});

/** Makes one call to a provider and collects what it yields; throws whatever is thrown that is no ProviderError. */
export async function collectEvents(
  provider: ImageProvider,
  request: ProviderRequest,
  scope: CallScope = freeScope(),
): Promise<Collected> {
  return collect(async (events) => {
    for await (const event of provider.generate(request, scope)) {
      events.push(event);
    }
  });
}

/** Collects the events that some work adds to a list; throws whatever is thrown that is no ProviderError. */
export async function collect(work: (events: ProviderEvent[]) => Promise<void>): Promise<Collected> {
  const events: ProviderEvent[] = [];
  try {
    await work(events);
    return { events, error: null };
  } catch (error) {
    if (error instanceof ProviderError) {
      return { events, error };
    }
    throw error;
  }
}
