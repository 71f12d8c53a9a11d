import sharp, { type OverlayOptions } from 'sharp';
import { INPUT_LIMITS } from '../../images/limits.js';
import type { InputImage } from '../port.js';
import type { RawImage } from './draw-scene.js';
import { layoutTiles } from './layout-tiles.js';

const VEIL = 0.28;

/** Lays the input images over a scene, so that they fill it, and the scene over them once more, thin: an edit shows its inputs, and that something was done to them. */
export async function drawCollage(scene: RawImage, inputs: readonly InputImage[]): Promise<RawImage> {
  const { width, height } = scene;
  const raw = { raw: { width, height, channels: 3 as const } };
  const layers: OverlayOptions[] = [];
  for (const [i, { left, top, ...size }] of layoutTiles(scene, inputs.length).entries()) {
    const { bytes } = inputs[i] ?? {};
    // One after the other: a large picture takes a lot of memory while it is decoded.
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
