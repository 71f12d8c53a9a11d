import type { DecodeWithin } from './decoder/create-decoder.js';
import { type Image, ImageError, type ImageFormat, type ImageLimits, NAMES } from './image.js';
import { isSoundPng } from './png/is-sound-png.js';
import { readHeader } from './read-header.js';

/** Task on whose behalf an image is decoded. */
export interface ImageOwner {
  /** Account; waiting accounts take turns. */
  readonly key?: string;
  readonly signal?: AbortSignal;
}

/** Validates bytes from outside. Throws ImageError for everything that is not one complete PNG, JPEG or WebP image within the limits. */
export type ValidateImage = (bytes: Buffer, limits: ImageLimits, owner?: ImageOwner) => Promise<Image>;

const PNG_END = Buffer.from('0000000049454e44ae426082', 'hex');
const JPEG_SCAN = Buffer.from('ffda', 'hex');
const JPEG_END = Buffer.from('ffd9', 'hex');

/** Creates the validator: bytes, sides and pixels are checked before anything is decoded. */
export function createValidator({ decode }: { readonly decode: DecodeWithin }): ValidateImage {
  return async (bytes, limits, owner = {}) => {
    if (bytes.length > limits.maxBytes) {
      throw new ImageError('too-large');
    }
    const header = await readHeader(bytes);
    const { format, width, height } = header;
    if (Math.max(width, height) > limits.maxSide || width * height > limits.maxPixels) {
      throw new ImageError('too-many-pixels');
    }
    if (!hasEnd(bytes, format)) {
      throw new ImageError('damaged');
    }
    if (!(limits.trustsChecksums === true && format === 'png' && isSoundPng(bytes))) {
      await decode('validate', bytes, { header, ...owner });
    }
    return { bytes, width, height, ...NAMES[format] };
  };
}

/**
 * Returns true when the image has its end. The decoder accepts a PNG or JPEG without it while no pixel is missing; a cut file
 * is refused here.
 */
function hasEnd(bytes: Buffer, format: ImageFormat): boolean {
  if (format === 'png') {
    // It is nearly always at the end of the file, and is looked for from there.
    return bytes.lastIndexOf(PNG_END) !== -1;
  }
  // Inside a scan the two bytes of the end cannot stand beside each other; bytes behind the end are harmless.
  return format === 'webp' || bytes.includes(JPEG_END, Math.max(0, bytes.indexOf(JPEG_SCAN)));
}
