import sharp from 'sharp';
import type { InputImage } from './port.js';
import { readHole } from './read-hole.js';

/** Turns a mask whose transparent part is drawn anew into one whose white part is, and whose rest is black. */
export async function drawWhiteMask(mask: InputImage): Promise<InputImage> {
  const { data, width, height } = await readHole(mask);
  const bytes = await sharp(data, { raw: { width, height, channels: 1 } })
    .toColourspace('b-w')
    .png()
    .toBuffer();
  return { bytes, contentType: 'image/png', width, height };
}
