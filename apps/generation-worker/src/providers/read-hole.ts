import sharp from 'sharp';
import type { InputImage } from './port.js';

/** Size of an image in pixels. */
interface Size {
  readonly width: number;
  readonly height: number;
}

/** Pixels of one channel: 255 where an image is drawn anew, 0 where it stays. */
export interface Hole extends Size {
  readonly data: Buffer;
}

/** Reads the part of a mask that is drawn anew: the pixels that are fully transparent. Scales it to a size. */
export async function readHole(
  { bytes, width, height }: InputImage,
  size: Size = { width, height },
): Promise<Hole> {
  const data = await sharp(bytes)
    .ensureAlpha()
    .resize({ ...size, fit: 'cover', kernel: 'nearest' })
    .extractChannel('alpha')
    .raw()
    .toBuffer();
  return {
    width: size.width,
    height: size.height,
    data: Buffer.from(data.map((alpha) => (alpha === 0 ? 255 : 0))),
  };
}
