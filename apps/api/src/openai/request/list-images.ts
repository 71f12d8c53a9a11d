import { LIMITS } from '@image-gateway/shared/contract';
import { invalidField, tooManyImages } from '../../file/uploads/field-error.js';
import type { ImageFieldNames } from '../../file/uploads/split-json.js';

/** Image as a JSON body names it. */
export interface NamedImage {
  /** Name of the field. */
  readonly field: string;
  /** Such as `images[1]`. */
  readonly place: string;
  readonly url: string;
}

/** Fields in which clients of the various dialects send images, in their order. */
const IMAGE_FIELDS = ['images', 'image', 'image[]', 'image_urls', 'image_url', 'input_image'] as const;
const NAMES: ReadonlySet<string> = new Set(IMAGE_FIELDS);

/** Fields of JSON bodies that may hold data URLs. */
export const IMAGE_FIELD_NAMES: ImageFieldNames = { isImage: (name) => NAMES.has(name), hasMask: true };

/**
 * Lists the images of a JSON body: texts, objects with `image_url` or `url`, or lists of them. Null, empty texts and empty lists count as
 * absent. So does a field that repeats the images of another, since clients write them for several dialects at once. Throws
 * FieldError for any other value, since a request with an image must never be drawn without it.
 */
export function listImages(body: unknown): NamedImage[] {
  const given = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>;
  const images: NamedImage[] = [];
  const seen = new Set<string>();
  for (const field of IMAGE_FIELDS) {
    const value = Object.hasOwn(given, field) ? given[field] : undefined;
    if (value === undefined || value === null || value === '') {
      continue;
    }
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    const named = list.slice(0, LIMITS.inputImages + 1).map((entry, index) => {
      const place = Array.isArray(value) ? `${field}[${index}]` : field;
      return { field, place, url: readUrl(entry, field, place) };
    });
    const urls = JSON.stringify(named.map(({ url }) => url));
    if (seen.has(urls)) {
      continue;
    }
    seen.add(urls);
    if (images.length + named.length > LIMITS.inputImages) {
      throw tooManyImages(field);
    }
    images.push(...named);
  }
  return images;
}

/** Returns the mask of a JSON body, which is given like one image; null for none. Throws FieldError. */
export function findMask(body: unknown): NamedImage | null {
  const given = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>;
  const mask = Object.hasOwn(given, 'mask') ? given.mask : undefined;
  return mask === undefined || mask === null || mask === ''
    ? null
    : { field: 'mask', place: 'mask', url: readUrl(mask, 'mask', 'mask') };
}

function readUrl(entry: unknown, field: string, place: string): string {
  const url = typeof entry === 'object' && entry !== null ? readMember(entry) : entry;
  if (typeof url !== 'string') {
    throw invalidField(field, `${place} must be a URL or a data URL, or an object with one as image_url.`);
  }
  return url;
}

/** Reads `{"image_url": "…"}`, `{"url": "…"}` or `{"image_url": {"url": "…"}}`. */
function readMember(entry: { readonly image_url?: unknown; readonly url?: unknown }): unknown {
  const { image_url: url = entry.url } = entry;
  return typeof url === 'object' && url !== null ? (url as { readonly url?: unknown }).url : url;
}
