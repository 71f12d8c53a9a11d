import sharp from 'sharp';
import type { InputImage } from './port.js';

/** Turns a mask whose transparent part is drawn anew into one whose white part is, and whose rest is black. */
export async function drawWhiteMask({ bytes, width, height }: InputImage): Promise<InputImage> {
  const png = await sharp(bytes)
    .ensureAlpha()
    .extractChannel('alpha')
    // Only what is fully transparent counts.
    .threshold(1)
    .negate()
    .toColourspace('b-w')
    .png()
    .toBuffer();
  return { bytes: png, contentType: 'image/png', width, height };
}
