import sharp from 'sharp';
import { createPalette } from './create-palette.js';
import type { SeededRandom } from './create-random.js';
import type { Size } from './get-size.js';
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
export async function drawScene(random: SeededRandom, size: Size): Promise<RawImage> {
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
