import sharp from 'sharp';

/** The formats that providers make. */
export type ImageFormat = 'png' | 'jpeg' | 'webp';

const GRID = { width: 16, height: 9 };
const CHANNELS = 3;

/** An image and what makes it differ from all others. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly format: ImageFormat;
  readonly number: number;
}

/** Draws an image of soft colours that only this number has; the same number gives the same image. */
export function drawImage({ width, height, format, number }: Drawing): Promise<Buffer> {
  const pixels = Buffer.alloc(GRID.width * GRID.height * CHANNELS);
  let state = Math.imul(number, 0x9e3779b1) >>> 0;
  for (let at = 0; at < pixels.length; at += 1) {
    // Marsaglia's xorshift: any sequence will do as long as it depends on the number.
    state ^= state << 13;
    state ^= state >>> 17;
    state = (state ^ (state << 5)) >>> 0;
    pixels[at] = state & 0xff;
  }
  return sharp(pixels, { raw: { ...GRID, channels: CHANNELS } })
    .resize(width, height, { fit: 'fill' })
    .toFormat(format)
    .toBuffer();
}
