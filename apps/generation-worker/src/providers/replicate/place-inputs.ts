import { createSemaphore } from '@image-gateway/shared/concurrency';
import { ProviderError } from '../errors.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import { dataUrl, type Embedded } from '../http/embed.js';
import type { InputImage } from '../port.js';
import { asRecord } from '../record-of.js';
import { failureOf } from './failure-of.js';
import { type FileForm, formOf } from './form-of.js';

/** The largest picture that goes into the request itself; Replicate wants others uploaded first. */
export const LARGEST_INLINE_BYTES = 256 * 1024;
const MAX_UPLOADS = 3;

/**
 * Makes the pictures ready for a request, in their order: small ones as data URLs, others as the addresses that they have
 * been uploaded to. Throws ProviderError, never before every upload has ended; nothing has been paid for then.
 */
export async function placeInputs(
  upload: (form: FileForm) => Promise<UpstreamResponse>,
  inputs: readonly InputImage[],
): Promise<(Embedded | string)[]> {
  const uploads = createSemaphore({ permits: MAX_UPLOADS });
  const places = await Promise.allSettled(
    inputs.map((input) =>
      uploads.run(async () =>
        input.bytes.length <= LARGEST_INLINE_BYTES ? dataUrl(input) : addressOf(await upload(formOf(input))),
      ),
    ),
  );
  return places.map((place) => {
    if (place.status === 'rejected') throw place.reason;
    return place.value;
  });
}

function addressOf({ status, headers, json }: UpstreamResponse): string {
  if (status < 200 || status > 299) throw failureOf({ status, headers, value: json?.value }, 'upload');
  const url = asRecord(asRecord(json?.value)?.urls)?.get;
  if (typeof url === 'string' && /^https?:/.test(url) && URL.canParse(url)) return url;
  throw new ProviderError('bad-response', 'replicate took a file and gave no address for it');
}
