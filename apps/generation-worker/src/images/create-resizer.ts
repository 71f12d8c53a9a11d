import type { ImageOwner } from './create-validator.js';
import type { DecodeWithin } from './decoder/create-decoder.js';
import { MAX_RESIZED_SIDE } from './decoder/decode-image.js';
import { type Image, NAMES } from './image.js';
import { readHeader } from './read-header.js';

/** Reduces a validated image to a size for providers. */
export type ResizeImage = (image: Image, owner?: ImageOwner) => Promise<Image>;

/** Nine such images stay below the request limits of upstreams, and those of all tasks below the memory of a worker. */
const MAX_BYTES = 2 * 1024 * 1024;

/**
 * Creates the resizer. An image over 2048 pixels a side or 2 MiB is encoded again, at most 2048 pixels long, upright and
 * without metadata. Every other one stays as it is, byte for byte, and so does one that does not get smaller.
 */
export function createResizer({ decode }: { readonly decode: DecodeWithin }): ResizeImage {
  return async (image, owner = {}) => {
    const isLong = Math.max(image.width, image.height) > MAX_RESIZED_SIDE;
    if (!isLong && image.bytes.length <= MAX_BYTES) {
      return image;
    }
    const resized = await decode('resize', image.bytes, { header: await readHeader(image.bytes), ...owner });
    if (resized === null || (!isLong && resized.bytes.length >= image.bytes.length)) {
      return image;
    }
    const { bytes, width, height, format } = resized;
    return { bytes, width, height, ...NAMES[format] };
  };
}
