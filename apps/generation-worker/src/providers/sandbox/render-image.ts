import { createHash } from 'node:crypto';
import type { Quality } from '@image-gateway/shared/contract';
import { INPUT_LIMITS } from '@image-gateway/shared/images';
import sharp, { type OverlayOptions } from 'sharp';
import type { InputImage, ProviderRequest } from '../port.js';
import { createPalette } from './create-palette.js';
import { createRandom, type SeededRandom } from './create-random.js';
import { encodeDrawing, finishDrawing } from './finish-drawing.js';
import { getSize, type RawImage, type Size } from './get-size.js';
import { facets } from './scenes/facets.js';
import { hills } from './scenes/hills.js';
import { orbits } from './scenes/orbits.js';

const SCENES = [hills, hills, orbits, facets] as const;
/** Pixels of the long side by quality. Larger ones take seconds to draw, and enlarging does not. */
const LONG_SIDES: Readonly<Record<Quality, number>> = {
  low: 160,
  medium: 1_280,
  high: 1_440,
  xhigh: 1_600,
  max: 1_920,
};

/** Draws a scene with the aspect ratio of `size`. */
async function drawScene(random: SeededRandom, size: Size, quality: Quality): Promise<RawImage> {
  const scale = LONG_SIDES[quality] / Math.max(size.width, size.height);
  const small = { width: Math.round(size.width * scale), height: Math.round(size.height * scale) };
  const palette = createPalette(random);
  const scene = SCENES[Math.floor(random() * SCENES.length)] ?? hills;
  const { width, height } = small;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
<defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${palette.skyTop}"/>
<stop offset="1" stop-color="${palette.skyBottom}"/></linearGradient></defs>
<rect width="100%" height="100%" fill="url(#sky)"/>${scene(random, palette, small)}</svg>`;
  const data = await sharp(Buffer.from(svg)).removeAlpha().raw().toBuffer();
  return { ...small, data };
}

const VEIL = 0.28;
/** Thinner and thicker layers, by input fidelity. */
const VEILS: Readonly<Record<string, number>> = { high: 0.1, low: 0.55 };

/**
 * Fills a scene with the input images and covers them with a thin layer of it. An edit thereby shows its inputs, and that they
 * were changed.
 */
async function drawCollage(
  scene: RawImage,
  inputs: readonly InputImage[],
  fidelity: string | undefined,
): Promise<RawImage> {
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
  const thickness = VEILS[fidelity ?? ''] ?? VEIL;
  const veil = await sharp(scene.data, raw).ensureAlpha(thickness).png({ compressionLevel: 1 }).toBuffer();
  const data = await sharp(scene.data, raw)
    .composite([...layers, { input: veil }])
    .removeAlpha()
    .raw()
    .toBuffer();
  return { width, height, data };
}

/** Parameters of an image; equal ones give the same image. */
export type RenderRequest = Pick<
  ProviderRequest,
  'prompt' | 'negativePrompt' | 'aspectRatio' | 'resolution' | 'inputs' | 'fields'
> & { readonly slot: number };

/**
 * Renders one image, as JPEG unless another format is asked for: a different one for every prompt and slot, or for every seed.
 * An edit shows its input images.
 */
export async function renderImage(request: RenderRequest): Promise<Buffer> {
  const { prompt, negativePrompt, aspectRatio, resolution, inputs, slot, fields } = request;
  const digests = inputs.map(({ bytes }) =>
    createHash('sha256').update(bytes.subarray(0, 65_536)).digest('hex'),
  );
  const drawn = fields.seed === undefined ? slot : `seed ${fields.seed}`;
  const random = createRandom(prompt, negativePrompt ?? '', drawn, ...digests);
  const size = getSize(aspectRatio, resolution);
  const scene = await drawScene(random, size, fields.quality ?? 'medium');
  const small = inputs.length > 0 ? await drawCollage(scene, inputs, fields.inputFidelity) : scene;
  const whole = await finishDrawing(small, size, request);
  return encodeDrawing(whole, fields);
}

/** Rectangle inside an image. */
interface Tile extends Size {
  readonly left: number;
  readonly top: number;
}

const GAP = 10;

/** Divides an image into `count` tiles that fill it row by row, with a narrow frame around each. */
export function layoutTiles({ width, height }: Size, count: number): Tile[] {
  const rows = Math.max(1, Math.round(Math.sqrt((count * height) / width)));
  const tileHeight = height / rows;
  return Array.from({ length: rows }, (_, row) => {
    const first = Math.round((row * count) / rows);
    const inRow = Math.round(((row + 1) * count) / rows) - first;
    const tileWidth = width / inRow;
    return Array.from({ length: inRow }, (_unused, column) => ({
      left: Math.round(column * tileWidth) + GAP,
      top: Math.round(row * tileHeight) + GAP,
      width: Math.floor(tileWidth) - 2 * GAP,
      height: Math.floor(tileHeight) - 2 * GAP,
    }));
  }).flat();
}
