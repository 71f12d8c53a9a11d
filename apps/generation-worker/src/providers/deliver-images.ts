import { ProviderError } from './errors.js';
import type { Upstream } from './http/create-upstream.js';
import type { DecodedJson } from './http/decode-json.js';
import type { CallScope, ProviderEvent } from './port.js';

/** The pictures of a job that is done. */
export interface JobImages {
  /** Addresses, or data URLs out of `json`. */
  readonly urls: readonly string[];
  /** The answer that names them. */
  readonly json: DecodedJson;
}

/** How the pictures are handed over. */
export interface Delivery {
  readonly upstream: Pick<Upstream, 'download'>;
  /** The numbers of the images that were asked for; more pictures than that are left where they are. */
  readonly slots: readonly number[];
  /** The headers for a download, none unless given. */
  readonly headersFor?: (url: string) => Readonly<Record<string, string>>;
}

/**
 * Yields the pictures one by one, each with its slot. One that can't be had does not keep the others back: what went wrong
 * first is thrown when all have been tried, `transport` before anything else, so that the job is looked at again.
 */
export async function* deliverImages(
  { urls, json }: JobImages,
  { upstream, slots, headersFor }: Delivery,
  scope: CallScope,
): AsyncGenerator<ProviderEvent, void> {
  const errors: ProviderError[] = [];
  for (const [index, url] of urls.slice(0, slots.length).entries()) {
    const slot = slots[index] ?? 0;
    if (scope.isStored?.(slot)) continue;
    let bytes: Buffer;
    try {
      bytes = /^https?:/i.test(url)
        ? await upstream.download(url, scope, headersFor?.(url))
        : await json.decodeBytes(url);
    } catch (error) {
      scope.signal.throwIfAborted();
      if (!(error instanceof ProviderError)) throw error;
      errors.push(error);
      continue;
    }
    yield { type: 'image', bytes, slot };
  }
  const error = errors.find(({ failure }) => failure === 'transport') ?? errors[0];
  if (error) throw error;
}
