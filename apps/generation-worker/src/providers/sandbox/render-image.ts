import { createHash } from 'node:crypto';
import sharp from 'sharp';
import type { ProviderRequest } from '../port.js';
import { createRandom } from './create-random.js';
import { drawCollage } from './draw-collage.js';
import { drawScene } from './draw-scene.js';
import { getSize } from './get-size.js';

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
