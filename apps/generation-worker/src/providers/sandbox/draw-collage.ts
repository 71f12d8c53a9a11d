import sharp, { type OverlayOptions } from 'sharp';
import { INPUT_LIMITS } from '../../images/limits.js';
import type { InputImage } from '../port.js';
import type { RawImage } from './draw-scene.js';
import { layoutTiles } from './layout-tiles.js';

const VEIL = 0.28;

/** Fills a scene with the input images and covers them with a thin layer of it: an edit shows its inputs, and that they were changed. */
export async function drawCollage(scene: RawImage, inputs: readonly InputImage[]): Promise<RawImage> {
  const { width, height } = scene;
  const raw = { raw: { width, height, channels: 3 as const } };
  const layers: OverlayOptions[] = [];
  for (const [i, { left, top, ...size }] of layoutTiles(scene, inputs.length).entries()) {
    const { bytes } = inputs[i] ?? {};
    // One after the other: decoding a large image takes a lot of memory.
    const input = await sharp(bytes, { failOn: 'error', limitInputPixels: INPUT_LIMITS.maxPixels })
      .autoOrient()
      .resize({ ...size, fit: 'cover' })
      .flatten()
      .png({ compressionLevel: 1 })
      .toBuffer();
    layers.push({ input, left, top });
  }
  const veil = await sharp(scene.data, raw).ensureAlpha(VEIL).png({ compressionLevel: 1 }).toBuffer();
  const data = await sharp(scene.data, raw)
    .composite([...layers, { input: veil }])
    .removeAlpha()
    .raw()
    .toBuffer();
  return { width, height, data };
}
