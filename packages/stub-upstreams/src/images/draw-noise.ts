import { createCipheriv } from 'node:crypto';
import sharp from 'sharp';
import type { Drawing } from './draw-image.js';

const CHANNELS = 4;
const KEY_BYTES = 16;

/** Draws a image of noise, which is as large as its pixels; the same number gives the same image. */
export function drawNoise({ width, height, format, number }: Drawing): Promise<Buffer> {
  const start = Buffer.alloc(KEY_BYTES);
  start.writeUInt32BE(number);
  // A stream cipher makes bytes that look random a hundred times faster than a loop, which would block the process.
  const pixels = createCipheriv('aes-128-ctr', start, start).update(Buffer.alloc(width * height * CHANNELS));
  const noise = sharp(pixels, { raw: { width, height, channels: CHANNELS } });
  if (format === 'jpeg') return noise.jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer();
  return noise.toFormat(format, { compressionLevel: 0 }).toBuffer();
}
