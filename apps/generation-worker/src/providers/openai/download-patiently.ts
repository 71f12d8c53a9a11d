import { setTimeout as sleep } from 'node:timers/promises';
import { ProviderError } from '../errors.js';
import type { Upstream } from '../http/create-upstream.js';

/** A download that is tried again: the pictures are made and nobody makes them again for nothing. Throws `bad-response` when they can't be had at all. */
export function downloadPatiently(
  upstream: Pick<Upstream, 'download'>,
  pausesMs: readonly number[],
): Upstream['download'] {
  return async (url, scope, headers) => {
    for (let tries = 0; ; tries += 1) {
      try {
        return await upstream.download(url, scope, headers);
      } catch (error) {
        scope.signal.throwIfAborted();
        if (!(error instanceof ProviderError) || error.failure !== 'transport') throw error;
        const pauseMs = pausesMs[tries];
        if (pauseMs === undefined) throw new ProviderError('bad-response', error.message, { cause: error });
        await sleep(pauseMs, undefined, { signal: scope.signal });
      }
    }
  };
}
