import { randomUUID } from 'node:crypto';
import type { Behaviour } from '../core/behaviour.js';
import { buildBombImage } from './build-bomb-image.js';
import { drawImage, type ImageFormat } from './draw-image.js';
import { drawNoise } from './draw-noise.js';

/** A image that is to be made. */
export interface ImageSpec {
  readonly width: number;
  readonly height: number;
  readonly format: ImageFormat;
}

/** A image that is kept under an address. */
export interface StoredImage extends ImageSpec {
  readonly name: string;
  readonly number: number;
  readonly behaviour: Behaviour;
}

/** Makes images, no two of them the same. */
export interface ImageStore {
  /** The bytes of a new image; what is no image when the behaviour says so. */
  readonly make: (order: ImageSpec, behaviour: Behaviour) => Promise<Buffer>;
  /** Promises a new image under a path; it is drawn when somebody asks for it. */
  readonly keep: (folder: string, order: ImageSpec, behaviour: Behaviour) => string;
  readonly kept: (path: string) => StoredImage | null;
  readonly draw: (kept: StoredImage) => Promise<Buffer>;
  /** How large a image is that was ordered so. */
  readonly sizeOf: (order: ImageSpec, behaviour: Behaviour) => { width: number; height: number };
}

const SMALL_SIDE = 172;

/** Makes the stub's images: small ones unless `fullSize` or the behaviour says otherwise. */
export function createImageStore({ fullSize }: { readonly fullSize: boolean }): ImageStore {
  const kept = new Map<string, StoredImage>();
  let count = 0;

  const sizeOf = ({ width, height }: ImageSpec, behaviour: Behaviour) => {
    if (behaviour.fullSize ?? fullSize) return { width, height };
    const scale = Math.min(1, SMALL_SIDE / Math.max(width, height));
    return { width: Math.round(width * scale), height: Math.round(height * scale) };
  };
  const buildBytes = async (order: ImageSpec, number: number, behaviour: Behaviour): Promise<Buffer> => {
    if (behaviour.mode === 'bomb') return buildBombImage();
    const draw = behaviour.noise === true ? drawNoise : drawImage;
    const whole = await draw({ ...sizeOf(order, behaviour), format: order.format, number });
    return behaviour.mode === 'broken-image' ? whole.subarray(0, whole.length / 2) : whole;
  };

  return {
    sizeOf,
    make: (order, behaviour) => {
      count += 1;
      return buildBytes(order, count, behaviour);
    },
    keep: (folder, order, behaviour) => {
      count += 1;
      const path = `/files/${folder}/${randomUUID()}.${order.format}`;
      kept.set(path, { ...order, name: path.slice(path.lastIndexOf('/') + 1), number: count, behaviour });
      return path;
    },
    kept: (path) => kept.get(path) ?? null,
    draw: (image) => buildBytes(image, image.number, image.behaviour),
  };
}
