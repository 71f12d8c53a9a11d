import type { LimitFunction } from 'p-limit';
import sharp from 'sharp';
import type { Picture } from './create-inspector.js';

/** Makes a picture fit to be sent to a provider. */
export type FitPicture = (picture: Picture) => Promise<Picture>;

// What upstreams make use of at most; a request with nine such pictures stays below their size limits.
const LONGEST_SIDE = 2_048;
const QUALITY = 90;

/** Makes the fitter: a picture that is longer than 2048 pixels is scaled down to that, upright, without its metadata; every other one stays as it is, byte for byte. */
export function createFitter({ limit }: { readonly limit: LimitFunction }): FitPicture {
  return async (picture) => {
    if (Math.max(picture.width, picture.height) <= LONGEST_SIDE) return picture;
    const { data, info } = await limit(() => scaleDown(picture.bytes));
    const { width, height } = info;
    return info.format === 'png'
      ? { bytes: data, contentType: 'image/png', extension: 'png', width, height }
      : { bytes: data, contentType: 'image/jpeg', extension: 'jpg', width, height };
  };
}

async function scaleDown(bytes: Buffer) {
  const source = sharp(bytes, { failOn: 'error', limitInputPixels: false, sequentialRead: true });
  const { hasAlpha } = await source.metadata();
  const small = source.autoOrient().resize({ width: LONGEST_SIDE, height: LONGEST_SIDE, fit: 'inside' });
  return (hasAlpha ? small.png() : small.jpeg({ quality: QUALITY })).toBuffer({ resolveWithObject: true });
}
