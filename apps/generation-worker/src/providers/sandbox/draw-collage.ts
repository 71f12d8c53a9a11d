import sharp, { type OverlayOptions } from 'sharp';
import type { InputImage } from '../port.js';
import type { RawPicture } from './draw-scene.js';

const GAP = 12;

/** Lays the input images over a scene side by side, large enough to be recognised, with the scene's light falling on them. */
export async function drawCollage(scene: RawPicture, inputs: readonly InputImage[]): Promise<RawPicture> {
  const { width, height } = scene;
  const columns = Math.ceil(Math.sqrt((inputs.length * width) / height));
  const rows = Math.ceil(inputs.length / columns);
  const cell = { width: Math.floor(width / columns), height: Math.floor(height / rows) };
  const tiles = inputs.map(async ({ bytes }, i): Promise<OverlayOptions> => {
    const size = { width: cell.width - 2 * GAP, height: cell.height - 2 * GAP };
    const input = await sharp(bytes, { failOn: 'error', limitInputPixels: 40_000_000 })
      .autoOrient()
      .resize({ ...size, fit: 'cover' })
      .removeAlpha()
      .png({ compressionLevel: 1 })
      .toBuffer();
    return {
      input,
      left: (i % columns) * cell.width + GAP,
      top: Math.floor(i / columns) * cell.height + GAP,
    };
  });
  const raw = { raw: { width, height, channels: 3 as const } };
  // The scene once more, thin, over the pictures: what was asked for has visibly changed them.
  const veil = await sharp(scene.data, raw).ensureAlpha(0.28).png({ compressionLevel: 1 }).toBuffer();
  const data = await sharp(scene.data, raw)
    .composite([...(await Promise.all(tiles)), { input: veil, blend: 'over' }])
    .removeAlpha()
    .raw()
    .toBuffer();
  return { width, height, data };
}
