import { parseFileEntry } from '@image-gateway/shared/ids';
import { findInputFault } from '@image-gateway/shared/task';
import { invalidField } from './field-error.js';
import { type ReceivedJson, readUpload } from './receive-json.js';
import type { InputImage } from './store-inputs.js';

/** Where an input image stands in a body. */
export interface EntryPlace {
  readonly field: string;
  /** Such as `image_urls[1]`. */
  readonly place: string;
}

/** Terms of reading entries. */
export interface EntryRules {
  /** Public base of this gateway. */
  readonly baseUrl: string;
  /** Returns true for a URL that may be fetched for an input image. */
  readonly isAllowedImageUrl: (url: string) => boolean;
}

/** Reads an input image of a JSON body: a data URL, on disk or still in the body, a file, or a URL. Throws FieldError. */
export function readEntry(
  { baseUrl, isAllowedImageUrl }: EntryRules,
  { field, place, url }: EntryPlace & { readonly url: string },
  uploads: ReceivedJson['uploads'],
): InputImage {
  const fault = findInputFault(url, isAllowedImageUrl);
  if (fault !== null) {
    throw invalidField(field, `${place} ${fault}.`);
  }
  const upload = readUpload({ field, place, url }, uploads);
  if (upload) {
    return upload;
  }
  const file = parseFileEntry(url, baseUrl);
  return file
    ? { entry: file.entry, digest: file.fileId, file: { id: file.id, field, place } }
    : { entry: url, digest: url };
}
