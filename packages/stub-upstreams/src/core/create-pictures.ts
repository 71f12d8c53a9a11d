import { randomUUID } from 'node:crypto';
import type { Behaviour } from './behaviour.js';
import { bombPicture } from './bomb-picture.js';
import { drawNoise } from './draw-noise.js';
import { drawPicture, type PictureFormat } from './draw-picture.js';

/** A picture that is to be made. */
export interface PictureOrder {
  readonly width: number;
  readonly height: number;
  readonly format: PictureFormat;
}

/** A picture that is kept under an address. */
export interface KeptPicture extends PictureOrder {
  readonly name: string;
  readonly number: number;
  readonly behaviour: Behaviour;
}

/** Makes pictures, no two of them the same. */
export interface Pictures {
  /** The bytes of a new picture; what is no picture when the behaviour says so. */
  readonly make: (order: PictureOrder, behaviour: Behaviour) => Promise<Buffer>;
  /** Promises a new picture under a path; it is drawn when somebody asks for it. */
  readonly keep: (folder: string, order: PictureOrder, behaviour: Behaviour) => string;
  readonly kept: (path: string) => KeptPicture | null;
  readonly draw: (kept: KeptPicture) => Promise<Buffer>;
  /** How large a picture is that was ordered so. */
  readonly sizeOf: (order: PictureOrder, behaviour: Behaviour) => { width: number; height: number };
}

const SMALL_SIDE = 172;

/** Makes the stub's pictures: small ones unless `fullSize` or the behaviour says otherwise. */
export function createPictures({ fullSize }: { readonly fullSize: boolean }): Pictures {
  const kept = new Map<string, KeptPicture>();
  let count = 0;

  const sizeOf = ({ width, height }: PictureOrder, behaviour: Behaviour) => {
    if (behaviour.fullSize ?? fullSize) return { width, height };
    const scale = Math.min(1, SMALL_SIDE / Math.max(width, height));
    return { width: Math.round(width * scale), height: Math.round(height * scale) };
  };
  const bytesOf = async (order: PictureOrder, number: number, behaviour: Behaviour): Promise<Buffer> => {
    if (behaviour.mode === 'bomb') return bombPicture();
    const draw = behaviour.noise === true ? drawNoise : drawPicture;
    const whole = await draw({ ...sizeOf(order, behaviour), format: order.format, number });
    return behaviour.mode === 'broken-image' ? whole.subarray(0, whole.length / 2) : whole;
  };

  return {
    sizeOf,
    make: (order, behaviour) => {
      count += 1;
      return bytesOf(order, count, behaviour);
    },
    keep: (folder, order, behaviour) => {
      count += 1;
      const path = `/files/${folder}/${randomUUID()}.${order.format}`;
      kept.set(path, { ...order, name: path.slice(path.lastIndexOf('/') + 1), number: count, behaviour });
      return path;
    },
    kept: (path) => kept.get(path) ?? null,
    draw: (picture) => bytesOf(picture, picture.number, picture.behaviour),
  };
}
