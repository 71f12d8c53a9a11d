import { createHash } from 'node:crypto';
import sharp, { type OverlayOptions } from 'sharp';
import { INPUT_LIMITS } from '../../images/image.js';
import type { InputImage, ProviderRequest } from '../port.js';
import { createPalette } from './create-palette.js';
import { createRandom, type SeededRandom } from './create-random.js';
import { getSize, type Size } from './get-size.js';
import { facets } from './scenes/facets.js';
import { hills } from './scenes/hills.js';
import { orbits } from './scenes/orbits.js';

/** Pixels in a row of the buffer, three bytes each. */
export interface RawImage extends Size {
  readonly data: Buffer;
}

const SCENES = [hills, hills, orbits, facets] as const;
const LONG_SIDE = 1_280;

/** Draws a scene with the aspect ratio of `size`, at most 1280 pixels long: drawing larger ones takes seconds, enlarging does not. */
async function drawScene(random: SeededRandom, size: Size): Promise<RawImage> {
  const scale = LONG_SIDE / Math.max(size.width, size.height);
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

/** Fills a scene with the input images and covers them with a thin layer of it. An edit thereby shows its inputs, and that they were changed. */
async function drawCollage(scene: RawImage, inputs: readonly InputImage[]): Promise<RawImage> {
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

const QUALITY = 88;

/** Parameters of an image; equal ones give the same image. */
export type RenderRequest = Pick<
  ProviderRequest,
  'prompt' | 'negativePrompt' | 'aspectRatio' | 'resolution' | 'inputs'
> & { readonly slot: number };

/** Renders one image as JPEG: a different one for every prompt and slot. An edit shows its input images. */
export async function renderImage(request: RenderRequest): Promise<Buffer> {
  const { prompt, negativePrompt, aspectRatio, resolution, inputs, slot } = request;
  const digests = inputs.map(({ bytes }) =>
    createHash('sha256').update(bytes.subarray(0, 65_536)).digest('hex'),
  );
  const random = createRandom(prompt, negativePrompt ?? '', slot, ...digests);
  const size = getSize(aspectRatio, resolution);
  const scene = await drawScene(random, size);
  const small = inputs.length > 0 ? await drawCollage(scene, inputs) : scene;
  return sharp(small.data, { raw: { width: small.width, height: small.height, channels: 3 } })
    .resize({ ...size, kernel: 'cubic' })
    .jpeg({ quality: QUALITY })
    .toBuffer();
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
