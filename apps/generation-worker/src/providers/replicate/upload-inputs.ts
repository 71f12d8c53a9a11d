import { randomUUID } from 'node:crypto';
import { createSemaphore } from '@image-gateway/shared/concurrency';
import { ProviderError } from '../failures.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import { type Embedded, toDataUrl } from '../http/encode-json.js';
import { NEEDED_TEXT, needed, readShape } from '../http/read-shape.js';
import type { InputImage } from '../port.js';
import { toProviderError } from './to-provider-error.js';

/** Encoded form with one file. */
export interface FileForm {
  readonly contentType: string;
  readonly body: Buffer;
}

const fileSchema = needed({ urls: needed({ get: NEEDED_TEXT }) });

/** Largest image inside a request; Replicate wants larger ones uploaded first. */
export const MAX_INLINE_BYTES = 256 * 1024;
const MAX_UPLOADS = 3;
const LINE = '\r\n';

/**
 * Prepares images for a request, in their order: small ones as data URLs, others as URLs of uploads. Throws ProviderError,
 * never before every upload has ended; nothing has been paid for then.
 */
export async function uploadInputs(
  upload: (form: FileForm) => Promise<UpstreamResponse>,
  inputs: readonly InputImage[],
): Promise<(Embedded | string)[]> {
  const uploads = createSemaphore({ permits: MAX_UPLOADS });
  const results = await Promise.allSettled(
    inputs.map((input) =>
      uploads.run(async () =>
        input.bytes.length <= MAX_INLINE_BYTES ? toDataUrl(input) : parseUrl(await upload(encodeForm(input))),
      ),
    ),
  );
  return results.map((result) => {
    if (result.status === 'rejected') {
      throw result.reason;
    }
    return result.value;
  });
}

/** Encodes the upload of one image: a part `content` with a file name, which is required (sdks.replicate.com, "Create A File"). */
function encodeForm({ bytes, contentType }: Pick<InputImage, 'bytes' | 'contentType'>): FileForm {
  const boundary = randomUUID();
  const extension = contentType.slice(contentType.indexOf('/') + 1);
  const head = [
    `--${boundary}`,
    `Content-Disposition: form-data; name="content"; filename="input.${extension}"`,
    `Content-Type: ${contentType}`,
    '',
    '',
  ].join(LINE);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`${LINE}--${boundary}--${LINE}`)]),
  };
}

function parseUrl({ status, headers, json }: UpstreamResponse): string {
  if (status < 200 || status > 299) {
    throw toProviderError({ status, headers, value: json?.value }, 'upload');
  }
  const url = readShape(fileSchema, json?.value, { upstream: 'replicate' }).urls.get;
  if (/^https?:/.test(url) && URL.canParse(url)) {
    return url;
  }
  throw new ProviderError('bad-response', 'replicate accepted a file and gave no URL for it');
}
