import type { ImageHeader } from '../image.js';

/** Work of a decoder: `validate` decodes every row once, `resize` scales the image down and encodes it again. */
export type DecoderTask = 'validate' | 'resize';

const MIB = 1024 * 1024;
/** A row of 8,192 pixels with 8 bytes each. A resize of longer ones picks pixels instead of weighing many rows, each of which is large. */
const MAX_WEIGHED_ROW_BYTES = 65_536;
// Measured with sharp 0.35.5 (libvips 8.18.7) as growth of the peak RSS over images of 40 megapixels. Validating
// holds 504 to 550 rows at a time, resizing 1,290 to 1,480. Code pages and encoder take 2 and 28 MB.
const ROWS = { validate: 560, resize: 1_500 };
const FIXED_BYTES = { validate: 2 * MIB, resize: 28 * MIB };

/** Returns the bytes that a decoder will take at most, besides the encoded image itself. */
export function estimateMemory(task: DecoderTask, header: ImageHeader): number {
  const { width, height, pixelBytes, wholePixelBytes } = header;
  const rows = width * pixelBytes * (picksPixels(header) ? ROWS.validate : ROWS[task]);
  const whole = width * height * wholePixelBytes;
  return Math.ceil(FIXED_BYTES[task] + rows + whole);
}

/** Returns whether a resize picks pixels instead of weighing all of them. */
export function picksPixels({ width, pixelBytes }: ImageHeader): boolean {
  return width * pixelBytes > MAX_WEIGHED_ROW_BYTES;
}
