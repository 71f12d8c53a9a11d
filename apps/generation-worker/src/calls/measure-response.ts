import type { Resolution } from '@image-gateway/shared/contract';
import { parseSize } from '../providers/compute-size.js';
import { MAX_RESPONSE_BYTES } from '../providers/http/create-upstream.js';
import type { Candidate } from '../providers/port.js';

const MIB = 1024 ** 2;
/**
 * Bytes of an image in a response. More than the base64 of an incompressible PNG with transparency, for the sizes of all
 * built-in models.
 */
const IMAGE_BYTES: Readonly<Record<Resolution, number>> = { '1k': 8 * MIB, '2k': 24 * MIB, '4k': 48 * MIB };
/** The same by pixel: four channels of a byte, and base64 is longer by a third. */
const PIXEL_BYTES = 16 / 3;

/** Returns the size in bytes of the largest response to expect of a call. Providers may send more, up to `MAX_RESPONSE_BYTES`. */
export function measureResponse({
  resolution,
  size,
  images,
}: {
  readonly resolution: Resolution;
  readonly size: Candidate['size'];
  readonly images: number;
}): number {
  const { width, height } = parseSize(size ?? '0x0');
  const imageBytes = Math.max(IMAGE_BYTES[resolution], width * height * PIXEL_BYTES);
  return Math.min(Math.ceil(images * imageBytes), MAX_RESPONSE_BYTES);
}
