import { createCipheriv, randomUUID } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import type { Behaviour } from '../core/behaviour.js';
import { type Drawing, drawImage, type ImageFormat } from './draw-image.js';

const SIDE = 20_000;
const BITS_PER_BYTE = 8;
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

let made: Buffer | undefined;

/** A black PNG of 20,000 x 20,000 pixels in some 50 kB, which takes 400 MB at a byte a pixel. */
function makeBomb(): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIDE, 0);
  header.writeUInt32BE(SIDE, 4);
  // One bit a pixel, grey.
  header[8] = 1;
  const rows = Buffer.alloc((SIDE / BITS_PER_BYTE + 1) * SIDE);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

const CHANNELS = 4;
const KEY_BYTES = 16;

/** Draws an image of noise, which is as large as its pixels; the same number gives the same image. */
function drawNoise({ width, height, format, number }: Drawing): Promise<Buffer> {
  const start = Buffer.alloc(KEY_BYTES);
  start.writeUInt32BE(number);
  // A stream cipher makes bytes that look random a hundred times faster than a loop, which would block the process.
  const pixels = createCipheriv('aes-128-ctr', start, start).update(Buffer.alloc(width * height * CHANNELS));
  const noise = sharp(pixels, { raw: { width, height, channels: CHANNELS } });
  if (format === 'jpeg') {
    return noise.jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer();
  }
  return noise.toFormat(format, { compressionLevel: 0 }).toBuffer();
}

/** An image that is to be made. */
export interface ImageSpec {
  readonly width: number;
  readonly height: number;
  readonly format: ImageFormat;
}

/** An image that is kept under an address. */
export interface StoredImage extends ImageSpec {
  readonly number: number;
  readonly behaviour: Behaviour;
  /** Unix time in milliseconds from which on it is gone. */
  readonly goneAt: number;
}

/** Makes images, no two of them the same. */
export type ImageStore = ReturnType<typeof createImageStore>;

const SMALL_SIDE = 96;
const SECOND_MS = 1_000;

/** Makes the stub's images: their long side as ordered and the other one short unless `fullSize` or the behaviour says otherwise. */
export function createImageStore({ fullSize }: { readonly fullSize: boolean }) {
  const kept = new Map<string, StoredImage>();
  let count = 0;

  /** Returns the size of an image for an order. */
  const getSize = ({ width, height }: ImageSpec, behaviour: Behaviour) => {
    if (behaviour.fullSize ?? fullSize) {
      return { width, height };
    }
    return width < height
      ? { width: Math.min(width, SMALL_SIDE), height }
      : { width, height: Math.min(height, SMALL_SIDE) };
  };
  const buildBytes = async (order: ImageSpec, number: number, behaviour: Behaviour): Promise<Buffer> => {
    if (behaviour.mode === 'bomb') {
      made ??= makeBomb();
      return made;
    }
    const draw = behaviour.noise === true ? drawNoise : drawImage;
    const whole = await draw({ ...getSize(order, behaviour), format: order.format, number });
    return behaviour.mode === 'broken-image' ? whole.subarray(0, whole.length / 2) : whole;
  };

  return {
    getSize,
    /** The bytes of a new image; what is no image when the behaviour says so. */
    make: (order: ImageSpec, behaviour: Behaviour): Promise<Buffer> => {
      count += 1;
      return buildBytes(order, count, behaviour);
    },
    /** Registers a new image under a path, for ever or for some seconds; it is drawn on download. */
    keep: (
      folder: string,
      order: ImageSpec,
      behaviour: Behaviour,
      seconds = Number.POSITIVE_INFINITY,
    ): string => {
      count += 1;
      const path = `/files/${folder}/${randomUUID()}.${order.format}`;
      kept.set(path, { ...order, number: count, behaviour, goneAt: Date.now() + seconds * SECOND_MS });
      return path;
    },
    kept: (path: string): StoredImage | null => {
      const image = kept.get(path);
      return image !== undefined && Date.now() < image.goneAt ? image : null;
    },
    draw: (image: StoredImage): Promise<Buffer> => buildBytes(image, image.number, image.behaviour),
  };
}
