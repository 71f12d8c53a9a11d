import { setTimeout as sleep } from 'node:timers/promises';
import { ProviderError } from './failures.js';
import type { Upstream } from './http/create-upstream.js';
import type { DecodedJson } from './http/json-decoder.js';
import type { CallScope, ProviderEvent } from './port.js';
import type { SaidFacts } from './upstream-text.js';

const DOWNLOAD_PAUSES_MS: readonly number[] = [500, 1_500];

/** Images of a finished job. */
export interface JobImages {
  /** URLs, or data URLs of `json`. */
  readonly urls: readonly string[];
  /** Facts that the upstream reports about each of them; absent where it reports none. */
  readonly said?: readonly SaidFacts[];
  /** Errors by the index of an image that did not come, or must not be delivered. */
  readonly errors?: readonly (ProviderError | null)[];
  /** Response that contains them. */
  readonly json: DecodedJson;
}

/** Terms of a delivery. */
export interface Delivery {
  readonly upstream: Pick<Upstream, 'download'>;
  /** Requested slots; surplus images are ignored. */
  readonly slots: readonly number[];
  /** Returns the headers of a download; none by default. */
  readonly headersFor?: (url: string) => Readonly<Record<string, string>>;
}

/**
 * Yields the images one by one, each with its slot. A failed download does not hold up the others. The first error is
 * thrown when all have been tried, `transport` before any other, so that the job is polled again.
 */
export async function* deliverImages(
  { urls, json, said, errors: given = [] }: JobImages,
  { upstream, slots, headersFor }: Delivery,
  scope: CallScope,
): AsyncGenerator<ProviderEvent, void> {
  const errors: ProviderError[] = [];
  if (urls.length > slots.length) {
    yield { type: 'surplus', images: urls.length - slots.length };
  }
  for (const [index, url] of urls.slice(0, slots.length).entries()) {
    const slot = slots[index] ?? 0;
    if (scope.isStored?.(slot)) {
      continue;
    }
    const known = given[index];
    if (known) {
      errors.push(known);
      continue;
    }
    let bytes: Buffer;
    try {
      bytes = /^https?:/i.test(url)
        ? await upstream.download(url, scope, headersFor?.(url))
        : await json.decodeBytes(url);
    } catch (error) {
      scope.signal.throwIfAborted();
      if (!(error instanceof ProviderError)) {
        throw error;
      }
      errors.push(error);
      continue;
    }
    const facts = said?.[index];
    yield { type: 'image', bytes, slot, ...(facts && { said: facts }) };
  }
  const error = errors.find(({ failure }) => failure === 'transport') ?? errors[0];
  if (error) {
    throw error;
  }
}

/** Retries downloads, because the images are made and paid for. Throws `bad-response` after the last try. */
export function withDownloadRetries(
  upstream: Pick<Upstream, 'download'>,
  pausesMs: readonly number[] = DOWNLOAD_PAUSES_MS,
): Upstream['download'] {
  return async (url, scope, headers) => {
    for (let tries = 0; ; tries += 1) {
      try {
        return await upstream.download(url, scope, headers);
      } catch (error) {
        scope.signal.throwIfAborted();
        if (!(error instanceof ProviderError) || error.failure !== 'transport') {
          throw error;
        }
        const pauseMs = pausesMs[tries];
        if (pauseMs === undefined) {
          throw new ProviderError('bad-response', error.message, { cause: error });
        }
        await sleep(pauseMs, undefined, { signal: scope.signal });
      }
    }
  };
}
