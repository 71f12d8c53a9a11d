import { invalidField } from '../../file/uploads/field-error.js';
import { type EntryRules, readEntry } from '../../file/uploads/read-input-entry.js';
import { NO_UPLOADS, type ReceivedJson, readUpload } from '../../file/uploads/receive-json.js';
import type { GivenImages } from '../../file/uploads/store-inputs.js';
import { findMask, listImages } from './list-images.js';

/** Reads the images of a body and its mask. Data URLs are on disk or still in the body. Throws FieldError. */
export function readImages(
  body: unknown,
  rules: EntryRules,
  uploads: ReceivedJson['uploads'] = NO_UPLOADS,
): GivenImages {
  const images = listImages(body).map((named) => readEntry(rules, named, uploads));
  const named = findMask(body);
  if (!named) {
    return { images };
  }
  const mask = readUpload(named, uploads);
  if (!mask) {
    throw invalidField(
      'mask',
      'mask must be a data URL in base64, since it is checked before the task begins.',
    );
  }
  return { images, mask };
}
