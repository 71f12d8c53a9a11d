import sharp from 'sharp';
import type { ImageOwner } from './create-validator.js';
import type { DecodeWithin } from './decoder/create-decoder.js';
import { MAX_RESIZED_BYTES, MAX_RESIZED_SIDE } from './decoder/decode-image.js';
import { type Image, type ImageHeader, NAMES } from './image.js';
import { DECODER_OPTIONS, readHeader } from './read-header.js';

/** Makes a validated image one for providers. */
export type ResizeImage = (image: Image, owner?: ImageOwner) => Promise<Image>;

const SRGB = [Buffer.from('sRGB'), Buffer.from('sRGB', 'utf16le').subarray(0, -1)];

/**
 * Creates the resizer. Images for providers are upright, in sRGB and without EXIF, XMP and IPTC. An image that is so already
 * stays as it is, byte for byte, up to 2048 pixels a side and 2 MiB. So does a larger file of such sides that would
 * not get smaller. Every other one is encoded again.
 */
export function createResizer({ decode }: { readonly decode: DecodeWithin }): ResizeImage {
  return async (image, owner = {}) => {
    const header = await readHeader(image.bytes);
    const staysPossible =
      Math.max(image.width, image.height) <= MAX_RESIZED_SIDE && (await isClean(image.bytes, header));
    if (staysPossible && image.bytes.length <= MAX_RESIZED_BYTES) {
      return image;
    }
    const resized = await decode('resize', image.bytes, { header, ...owner });
    if (resized === null || (staysPossible && resized.bytes.length >= image.bytes.length)) {
      return image;
    }
    const { bytes, width, height, format } = resized;
    return { bytes, width, height, ...NAMES[format] };
  };
}

/** Returns whether an image is in sRGB, and has no metadata that turns it, or tells who made it and where. */
async function isClean(bytes: Buffer, header: ImageHeader): Promise<boolean> {
  if (header.hasCostlyMetadata) {
    return false;
  }
  const { space, icc, exif, xmp, iptc, comments } = await sharp(bytes, DECODER_OPTIONS).metadata();
  const isSrgb = space === 'srgb' && (icc === undefined || SRGB.some((name) => icc.includes(name)));
  // Texts of a PNG may be EXIF, XMP or IPTC in hexadecimal digits.
  return isSrgb && [exif, xmp, iptc, comments].every((found) => found === undefined);
}
